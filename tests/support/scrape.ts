/** The result of a scrape of METRICS_PORT. */
export interface Scrape {
  readonly text: string;
  /** The sum of all samples of a name that have these labels; undefined where there is none. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined;
}

const sample = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;

const labelsOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = '', value = '']) => [name, value]),
  );

export const parseScrape = (text: string): Scrape => {
  const samples = text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = sample.exec(line) ?? [];
    return name === undefined ? [] : [{ name, labels: labelsOf(labels), value: Number(value) }];
  });
  return {
    text,
    value: (name, labels = {}) => {
      const found = samples.filter(
        (each) =>
          each.name === name && Object.entries(labels).every(([key, value]) => each.labels[key] === value),
      );
      return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
    },
  };
};

/** Asks as a scraper does. */
export const scrape = async (port: number | undefined): Promise<Scrape> => {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  return parseScrape(await answer.text());
};
