import { sql } from 'kysely';
import type { Application } from '../../src/app/application.ts';
import type { DialectName } from '../../src/database/database.ts';
import { alterTable, renameTable } from '../../src/database/migrations/application-steps.ts';
import type { Migration } from '../../src/database/migrations/migration.ts';
import { collectModels, type Models } from '../../src/model/models.ts';
import { declaredFields, type ModelField, type ResourceModel } from '../../src/model/resource.ts';

/** With `TEST_MAPPED=1` every model of a service under test has a table and columns of other names than its own. */
export const isMapped: boolean = process.env['TEST_MAPPED'] === '1';

const tableOf = ({ table }: ResourceModel): string => `T_X ${table}`;

/** Names that only quotes keep. A reference does not end as the service would end it. */
const columnOf = ({ name }: ModelField): string => `c_X ${name.replace(/_id$/, '')}`;

/** Columns of fields that end alike have one name: the reference keeps its ending. */
const columnsOf = (model: ResourceModel): ReadonlyMap<string, string> => {
  const fields = declaredFields(model);
  const taken = Map.groupBy(fields, columnOf);
  return new Map(
    fields.map((field) => {
      const column = columnOf(field);
      const isAlone = taken.get(column)?.length === 1;
      return [field.name, isAlone ? column : `c_X ${field.name}`];
    }),
  );
};

const mappedModel = (model: ResourceModel): ResourceModel => {
  const columns = columnsOf(model);
  const name = tableOf(model);
  return Object.freeze({
    ...model,
    table: name,
    stored: Object.freeze({ schema: undefined, name, columns }),
    fields: new Map(
      [...model.fields].map(([key, field]) => [key, { ...field, column: columns.get(key) ?? field.column }]),
    ),
  });
};

const mappedModels = (models: Models): Models => collectModels([...models.values()].map(mappedModel));

const quoted = (name: string): string => `"${name}"`;

/** A view of a table under the names that it had, for the SQL that tests write by hand. */
const formerNames = (model: ResourceModel, dialect: DialectName): readonly string[] => {
  const columns = columnsOf(model);
  const all = [...model.fields.keys(), 'version'];
  const [table, view] = [quoted(tableOf(model)), quoted(model.table)];
  const column = (name: string): string => quoted(columns.get(name) ?? name);
  const create = `create view ${view} as select ${all.map((each) => `${column(each)} as ${quoted(each)}`).join(', ')} from ${table}`;
  if (dialect === 'postgres') return [create];
  const changed = all.map((each) => `${column(each)} = new.${quoted(each)}`).join(', ');
  const inserted = all.map((each) =>
    each === 'version' ? 'coalesce(new.version, 1)' : `new.${quoted(each)}`,
  );
  const bodies = {
    delete: `delete from ${table} where id = old.id`,
    update: `update ${table} set ${changed} where id = old.id`,
    insert: `insert into ${table} (${all.map(column).join(', ')}) values (${inserted.join(', ')})`,
  };
  return [
    create,
    ...Object.entries(bodies).map(
      ([action, body]) =>
        `create trigger ${quoted(`${model.table} ${action}`)} instead of ${action} on ${view} begin ${body}; end`,
    ),
  ];
};

/** Gives tables and columns their other names, behind all migrations of the application. */
const mapping = (models: Models): Migration => ({
  up: async (db, dialect) => {
    for (const model of models.values()) {
      const table = tableOf(model);
      await renameTable(db, dialect, model.table, table, { model: model.name });
      const columns = [...columnsOf(model)];
      await alterTable(db, dialect, table, {
        rename: Object.fromEntries(columns),
        fieldNames: Object.fromEntries(columns.map(([field, column]) => [column, field])),
      });
      for (const statement of formerNames(model, dialect)) await sql.raw(statement).execute(db);
    }
  },
});

/** The application with other names of all tables and columns. */
export const mappedApplication = (application: Application): Application => {
  const models = mappedModels(application.models);
  return {
    ...application,
    models,
    modelsWith: (complete) => mappedModels(application.modelsWith(complete)),
    tenancies: new Map(
      [...application.tenancies].map(([name, tenancy]) => [
        name,
        { ...tenancy, stored: models.get(tenancy.model)?.stored ?? tenancy.stored },
      ]),
    ),
    migrations:
      models.size === 0
        ? application.migrations
        : { ...application.migrations, '9999_mapped': mapping(application.models) },
  };
};
