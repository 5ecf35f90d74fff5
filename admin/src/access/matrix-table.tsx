import { Fragment, memo } from 'react';
import { Link as RouterLink } from 'react-router';
import { useText } from '../texts/provider.ts';
import { superAdmin } from '../users/user.ts';
import { entryKey, type ModelActions, type PermissionAction } from './permission-table.ts';

interface MatrixTableProps {
  readonly roles: readonly string[];
  readonly models: readonly ModelActions[];
  readonly granted: ReadonlySet<string>;
  readonly nameOf: (model: string) => string;
}

/** A controlled box wants a handler of its own; the table's hears all of them. */
const heardAbove = (): void => {};

/** Of one action for each role: `1` granted, `0` not. A row is rendered again only when this changes. */
const bitsOf = (
  roles: readonly string[],
  model: string,
  action: PermissionAction,
  granted: ReadonlySet<string>,
): string => roles.map((role) => (granted.has(entryKey({ role, model, action })) ? '1' : '0')).join('');

/**
 * The table itself. Its boxes, 2,400 for 40 models and 15 roles, are native ones in plain cells without a listener of
 * their own: components of a library for each took over a second of script.
 */
export const MatrixTable = ({ roles, models, granted, nameOf }: MatrixTableProps) => {
  const text = useText();
  return (
    <table aria-label={text('permissions.title')}>
      <RoleHeads roles={roles} />
      <tbody>
        {models.map(({ model, actions }) => (
          <Fragment key={model}>
            <ModelHead model={model} name={nameOf(model)} columns={roles.length} />
            {actions.map(({ action, checked }) => (
              <ActionRow
                key={action}
                model={model}
                action={action}
                checked={checked}
                roles={roles}
                bits={bitsOf(roles, model, action, granted)}
              />
            ))}
          </Fragment>
        ))}
      </tbody>
    </table>
  );
};

const RoleHeads = memo(({ roles }: { readonly roles: readonly string[] }) => {
  const text = useText();
  return (
    <thead>
      <tr>
        <th scope="col">
          <span className="head">{text('permissions.entry')}</span>
        </th>
        {roles.map((role) => (
          <th key={role} scope="col" aria-label={role}>
            <span className="head" data-cut="">
              <RouterLink to={`/roles/${role}`} data-name="">
                {role}
              </RouterLink>
              {role === superAdmin ? null : (
                <button
                  type="button"
                  data-whole=""
                  data-role={role}
                  aria-haspopup="menu"
                  aria-label={text('permissions.wholeOf', { name: role })}
                >
                  ⋮
                </button>
              )}
            </span>
          </th>
        ))}
      </tr>
    </thead>
  );
});

interface ModelHeadProps {
  readonly model: string;
  readonly name: string;
  readonly columns: number;
}

/** The label of a model, and beside it the name by which grants and paths know it. */
const ModelHead = memo(({ model, name, columns }: ModelHeadProps) => {
  const text = useText();
  return (
    <tr className="group">
      <th scope="rowgroup" data-cut="">
        <span className="head">
          <span data-name="">
            {name}
            {name === model ? null : <span className="aside"> {model}</span>}
          </span>
          <button
            type="button"
            data-whole=""
            data-model={model}
            aria-haspopup="menu"
            aria-label={text('permissions.wholeOf', { name })}
          >
            ⋮
          </button>
        </span>
      </th>
      <td colSpan={columns} />
    </tr>
  );
});

interface ActionRowProps {
  readonly model: string;
  readonly action: PermissionAction;
  readonly checked: boolean;
  readonly roles: readonly string[];
  readonly bits: string;
}

const ActionRow = memo(({ model, action, checked, roles, bits }: ActionRowProps) => {
  const text = useText();
  const name = text(`permissions.action.${action}`);
  const whole = text('permissions.wholeOf', { name: `${model} ${name}` });
  return (
    <tr className={checked ? undefined : 'unchecked'}>
      <th scope="row">
        <span className="head">
          <span>
            {name}
            {checked ? null : <span className="aside"> · {text('permissions.unchecked')}</span>}
          </span>
          <button
            type="button"
            data-whole=""
            data-model={model}
            data-action={action}
            aria-haspopup="menu"
            aria-label={whole}
          >
            ⋮
          </button>
        </span>
      </th>
      {roles.map((role, index) => (
        <td key={role}>
          {role === superAdmin ? (
            <span className="aside">{text('permissions.all')}</span>
          ) : (
            <label>
              <input
                type="checkbox"
                aria-label={`${role}: ${model} ${name}`}
                value={entryKey({ role, model, action })}
                checked={bits[index] === '1'}
                onChange={heardAbove}
              />
            </label>
          )}
        </td>
      ))}
    </tr>
  );
});
