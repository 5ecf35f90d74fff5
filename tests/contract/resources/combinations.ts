import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import type { ResourceModel } from '../../../src/model/resource.ts';
import { type PermissionCheck, type Switches, whitelist } from './oracle.ts';

/** A model and the switches that it was defined with. */
export interface Combination {
  readonly name: string;
  readonly switches: Switches;
  readonly model: ResourceModel;
  /** True if bodies that are refused are played too: once for all the sets of methods, of which they know nothing. */
  readonly badBodies: boolean;
  /** True if every kind of credentials is accepted everywhere, so that the other rules decide. */
  readonly acceptsAll: boolean;
}

const either = ['jwt', 'api_key'] as const;
const any = ['jwt', 'api_key', 'signature'] as const;

/** Accepted methods: the default, two, all three, and other ones for each action. */
const methodSets: readonly Switches['methods'][] = [
  undefined,
  { list: either, detail: either, create: either, update: either, delete: either },
  { list: any, detail: any, create: any, update: any, delete: any },
  {
    list: ['signature'],
    detail: ['api_key'],
    create: ['jwt', 'signature'],
    update: ['api_key', 'signature'],
    delete: ['jwt'],
  },
];

const both = [false, true];
const checks: readonly PermissionCheck[] = ['none', 'writes', 'all'];

/** Every combination of the switches with every set of methods. */
const allSwitches = (): Switches[] =>
  methodSets.flatMap((methods) =>
    checks.flatMap((permissions) =>
      both.flatMap((views) =>
        both.flatMap((isolation) =>
          both.flatMap((ownership) =>
            both.flatMap((restricted) =>
              both.map((publicRead) => ({
                views,
                permissions,
                isolation,
                ownership,
                restricted,
                publicRead,
                methods,
              })),
            ),
          ),
        ),
      ),
    ),
  );

const fields = {
  title: field.string({ required: true, max: 40 }),
  note: field.text(),
  published: field.boolean({ default: false }),
  user_id: field.owner(),
};

type Definition = Parameters<typeof defineResource<typeof fields>>[1];

/** The switches in the words of a model file: what is off is not mentioned. `bearer` is another name of `jwt`. */
const definitionOf = (number: number, switches: Switches): Definition => ({
  fields,
  singular: `case_${number}`,
  plural: `cases_${number}`,
  ...(switches.views ? { views: whitelist as NonNullable<Definition['views']> } : {}),
  ...(switches.permissions === 'none' ? {} : { permissions: switches.permissions }),
  ...(switches.isolation ? { isolation: true } : {}),
  ...(switches.ownership ? { ownership: true } : {}),
  ...(switches.restricted ? { restricted: ['note'] as const } : {}),
  ...(switches.publicRead ? { publicRead: { where: { published: true } } } : {}),
  ...(switches.methods === undefined ? {} : { auth: authOf(switches.methods) }),
});

const authOf = ({ delete: destroy, create, ...others }: NonNullable<Switches['methods']>) =>
  ({
    ...others,
    destroy,
    create: create.map((method) => (method === 'jwt' ? 'bearer' : method)),
  }) as unknown as NonNullable<Definition['auth']>;

const nameOf = (switches: Switches): string => {
  const on = (['views', 'isolation', 'ownership', 'restricted', 'publicRead'] as const).filter(
    (name) => switches[name],
  );
  const methods = switches.methods === undefined ? 'default' : JSON.stringify(switches.methods);
  return `[${on.join(' ')}; permissions ${switches.permissions}; methods ${methods}]`;
};

export const combinations: readonly Combination[] = allSwitches().map((switches, index) => ({
  name: nameOf(switches),
  switches,
  badBodies: switches.methods?.list === either,
  acceptsAll: switches.methods?.list === any,
  model: defineResource(`Case${index + 1}`, definitionOf(index + 1, switches)),
}));

/** One of so many combinations is in the sample. It divides by no number of values that a switch has. */
const stride = 7;

/**
 * Some of all combinations: in them each switch has each of its values beside each value of every other switch. The
 * first is the default behaviour of the contract, in which every rule is off.
 */
export const sample: readonly Combination[] = combinations.filter(
  (_, index) => index === 0 || index % stride === 3,
);

/** The tables of all of them. */
export const migrations: Migrations = {
  '0001_cases': {
    up: async (db, dialect) => {
      for (const { model } of combinations) await createTable(db, dialect, model.table, { fields });
    },
  },
};
