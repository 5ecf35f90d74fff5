/** The refusal of one record of a batch. */
export interface Refused {
  readonly id: number;
  readonly messages: readonly string[];
}

/** The messages of a batch by record: its fields are named `update.3.price`. Undefined where one is about none of them. */
export const refusedIn = (
  fields: Readonly<Record<string, string>>,
  ids: readonly number[],
): readonly Refused[] | undefined => {
  const found = new Map<number, string[]>();
  for (const [name, message] of Object.entries(fields)) {
    const [, place] = /^update\.(\d+)(?:\.|$)/.exec(name) ?? [];
    const id = place === undefined ? undefined : ids[Number(place)];
    if (id === undefined) return undefined;
    found.set(id, [...(found.get(id) ?? []), message]);
  }
  return found.size === 0 ? undefined : [...found].map(([id, messages]) => ({ id, messages }));
};
