/** The cells of the permission table. */

import { memo } from 'react';
import { Link as RouterLink } from 'react-router';
import { useText } from '../texts/provider.ts';
import { superAdmin } from '../users/user.ts';
import { entryKey, type ModelActions } from './permission-table.ts';

interface MatrixTableProps {
  readonly roles: readonly string[];
  readonly models: readonly ModelActions[];
  readonly granted: ReadonlySet<string>;
  readonly nameOf: (model: string) => string;
}

/** React requires a handler on a controlled box; the table handles the events of all boxes. */
const handledByTable = (): void => {};

/**
 * The permissions of a role, a digit for each action of each model: `1` granted, `0` not. A row renders again only when
 * this changes.
 */
const bitsOf = (role: string, models: readonly ModelActions[], granted: ReadonlySet<string>): string =>
  models
    .flatMap(({ model, actions }) =>
      actions.map(({ action }) => granted.has(entryKey({ role, model, action }))),
    )
    .map((held) => (held ? '1' : '0'))
    .join('');

/**
 * The table: a row for each role, a column for each resource with a letter for each action. The boxes, 2,400 for 40
 * models and 15 roles, are native inputs in plain cells, without listeners of their own: library components for each
 * took over a second of script.
 */
export const MatrixTable = ({ roles, models, granted, nameOf }: MatrixTableProps) => {
  const text = useText();
  return (
    <table aria-label={text('titles.permissions')}>
      <ModelHeads models={models} nameOf={nameOf} />
      <tbody>
        {roles.map((role) => (
          <RoleRow key={role} role={role} models={models} bits={bitsOf(role, models, granted)} />
        ))}
      </tbody>
    </table>
  );
};

type HeadsProps = Pick<MatrixTableProps, 'models' | 'nameOf'>;

const ModelHeads = memo(({ models, nameOf }: HeadsProps) => {
  const text = useText();
  return (
    <thead>
      <tr>
        <th scope="col">
          <span className="head">{text('permissions.role')}</span>
        </th>
        {models.map((each) => (
          <ModelHead key={each.model} {...each} name={nameOf(each.model)} />
        ))}
      </tr>
    </thead>
  );
});

/** The label of a model, and the letters of its actions. Each opens a menu of changes to its whole column. */
const ModelHead = ({ model, actions, name }: ModelActions & { readonly name: string }) => {
  const text = useText();
  return (
    <th scope="col" aria-label={name} data-model={model}>
      <span className="head" data-cut="">
        <span data-name="" title={name === model ? undefined : model}>
          {name}
        </span>
        <button
          type="button"
          tabIndex={-1}
          data-whole=""
          data-model={model}
          aria-haspopup="menu"
          aria-label={text('permissions.wholeOf', { name })}
        >
          ⋮
        </button>
      </span>
      <span className="letters">
        {actions.map(({ action, checked }) => {
          const word = text(`permissions.action.${action}`);
          return (
            <button
              key={action}
              type="button"
              tabIndex={-1}
              className={checked ? undefined : 'unchecked'}
              data-whole=""
              data-model={model}
              data-action={action}
              aria-haspopup="menu"
              aria-label={text('permissions.wholeOf', { name: `${model} ${word}` })}
              title={checked ? word : `${word} · ${text('permissions.unchecked')}`}
            >
              {text(`permissions.letter.${action}`)}
            </button>
          );
        })}
      </span>
    </th>
  );
};

interface RoleRowProps {
  readonly role: string;
  readonly models: readonly ModelActions[];
  readonly bits: string;
}

const RoleRow = memo(({ role, models, bits }: RoleRowProps) => {
  const text = useText();
  let place = 0;
  return (
    <tr>
      <th scope="row" aria-label={role}>
        <span className="head" data-cut="">
          <RouterLink to={`/roles/${role}`} data-name="" tabIndex={-1}>
            {role}
          </RouterLink>
          {role === superAdmin ? null : (
            <button
              type="button"
              tabIndex={-1}
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
      {models.map(({ model, actions }) => (
        <td key={model}>
          {role === superAdmin ? (
            <span className="aside">{text('permissions.all')}</span>
          ) : (
            <span className="letters">
              {actions.map(({ action, checked }) => {
                const held = bits[place] === '1';
                place += 1;
                return (
                  <Letter
                    key={action}
                    label={`${role}: ${model} ${text(`permissions.action.${action}`)}`}
                    letter={text(`permissions.letter.${action}`)}
                    value={entryKey({ role, model, action })}
                    held={held}
                    checked={checked}
                  />
                );
              })}
            </span>
          )}
        </td>
      ))}
    </tr>
  );
});

interface LetterProps {
  readonly label: string;
  readonly letter: string;
  readonly value: string;
  readonly held: boolean;
  /** True if the permission check of the resource is on. */
  readonly checked: boolean;
}

/** A box of the table. The Tab key stops once in the table; arrow keys move on from there (`moveByArrow`). */
const Letter = ({ label, letter, value, held, checked }: LetterProps) => (
  <label className={checked ? undefined : 'unchecked'}>
    <input
      type="checkbox"
      aria-label={label}
      value={value}
      checked={held}
      onChange={handledByTable}
      tabIndex={-1}
    />
    <span aria-hidden="true">{letter}</span>
  </label>
);
