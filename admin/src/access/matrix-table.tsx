/** The cells of the permission table. */

import { memo } from 'react';
import { Link as RouterLink } from 'react-router';
import { useText } from '../texts/provider.ts';
import { superAdmin } from '../users/user.ts';
import { entryKey, type ModelActions } from './permission-table.ts';

interface MatrixTableProps {
  readonly roles: readonly string[];
  /** Number of users with each role. */
  readonly people: ReadonlyMap<string, number>;
  readonly models: readonly ModelActions[];
  /** Models that are shown as a number of permissions; undefined if there are so few that none folds. */
  readonly folded: ReadonlySet<string> | undefined;
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
 * The table: a row for each role, a column for each resource with a tick for each granted action. The boxes, 2,400 for
 * 40 models and 15 roles, are native inputs in plain cells, without listeners of their own: library components for each
 * took over a second of script.
 */
export const MatrixTable = memo(({ roles, people, models, folded, granted, nameOf }: MatrixTableProps) => {
  const text = useText();
  return (
    <table aria-label={text('titles.permissions')}>
      <ModelHeads models={models} folded={folded} nameOf={nameOf} />
      <tbody>
        {roles.map((role) => (
          <RoleRow
            key={role}
            role={role}
            people={people.get(role)}
            models={models}
            folded={folded}
            bits={bitsOf(role, models, granted)}
          />
        ))}
      </tbody>
    </table>
  );
});

type HeadsProps = Pick<MatrixTableProps, 'models' | 'folded' | 'nameOf'>;

const ModelHeads = memo(({ models, folded, nameOf }: HeadsProps) => {
  const text = useText();
  return (
    <thead>
      <tr>
        <th scope="col">
          <span className="head">{text('permissions.role')}</span>
        </th>
        <th scope="col" className="people">
          <span className="head">{text('permissions.people')}</span>
        </th>
        {models.map((each) => (
          <ModelHead
            key={each.model}
            {...each}
            name={nameOf(each.model)}
            foldable={folded !== undefined}
            folded={folded?.has(each.model) === true}
          />
        ))}
      </tr>
    </thead>
  );
});

interface HeadProps extends ModelActions {
  readonly name: string;
  readonly foldable: boolean;
  readonly folded: boolean;
}

/** The label of a model, and its actions in words. Each opens a menu of changes to its whole column. */
const ModelHead = ({ model, actions, name, foldable, folded }: HeadProps) => {
  const text = useText();
  const count = text('permissions.actions', { smart_count: actions.length });
  return (
    <th scope="col" aria-label={name} data-model={model} className={folded ? 'folded' : undefined}>
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
        {foldable && !folded ? (
          <button
            type="button"
            tabIndex={-1}
            data-fold={model}
            aria-label={text('permissions.fold', { name })}
          >
            ‹
          </button>
        ) : null}
      </span>
      <span className="actions">
        {folded ? (
          <button
            type="button"
            tabIndex={-1}
            data-fold={model}
            className="unfold"
            aria-label={`${count} · ${text('permissions.unfold', { name })}`}
          >
            {count}
          </button>
        ) : (
          actions.map((each) => <ActionHead key={each.action} model={model} {...each} />)
        )}
      </span>
    </th>
  );
};

const ActionHead = ({
  model,
  action,
  checked,
}: { readonly model: string } & ModelActions['actions'][number]) => {
  const text = useText();
  const word = text(`permissions.action.${action}`);
  return (
    <button
      type="button"
      tabIndex={-1}
      className={checked ? undefined : 'unchecked'}
      data-whole=""
      data-model={model}
      data-action={action}
      aria-haspopup="menu"
      aria-label={text('permissions.wholeOf', { name: `${model} ${word}` })}
      title={checked ? undefined : `${word} · ${text('permissions.unchecked')}`}
    >
      {word}
    </button>
  );
};

interface RoleRowProps {
  readonly role: string;
  readonly people: number | undefined;
  readonly models: readonly ModelActions[];
  readonly folded: ReadonlySet<string> | undefined;
  readonly bits: string;
}

const RoleRow = memo(({ role, people, models, folded, bits }: RoleRowProps) => {
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
      <td className="people">{people}</td>
      {models.map((each) => {
        const own = bits.slice(place, place + each.actions.length);
        place += each.actions.length;
        return (
          <td key={each.model}>
            {role === superAdmin ? (
              <span className="aside">{text('permissions.all')}</span>
            ) : (
              <Cell role={role} folded={folded?.has(each.model) === true} bits={own} {...each} />
            )}
          </td>
        );
      })}
    </tr>
  );
});

interface CellProps extends ModelActions {
  readonly role: string;
  readonly folded: boolean;
  /** A digit for each action of the model. */
  readonly bits: string;
}

/** The actions of a role on a model: a box for each, or their number, which opens the column. */
const Cell = ({ role, model, actions, folded, bits }: CellProps) => {
  const text = useText();
  if (folded) {
    const held = bits.replaceAll('0', '').length;
    const count = held === 0 ? '' : text('permissions.heldOf', { held, all: bits.length });
    return (
      <button
        type="button"
        tabIndex={-1}
        data-fold={model}
        aria-label={`${role}: ${model} · ${text('permissions.heldOf', { held, all: bits.length })}`}
      >
        {count}
      </button>
    );
  }
  return (
    <span className="actions">
      {actions.map(({ action, checked }, place) => (
        <ActionBox
          key={action}
          label={`${role}: ${model} ${text(`permissions.action.${action}`)}`}
          value={entryKey({ role, model, action })}
          held={bits[place] === '1'}
          checked={checked}
        />
      ))}
    </span>
  );
};

interface ActionBoxProps {
  readonly label: string;
  readonly value: string;
  readonly held: boolean;
  /** True if the permission check of the resource is on. */
  readonly checked: boolean;
}

/** A box of the table. The Tab key stops once in the table; arrow keys move on from there (`moveByArrow`). */
const ActionBox = ({ label, value, held, checked }: ActionBoxProps) => (
  <label className={checked ? undefined : 'unchecked'}>
    <input
      type="checkbox"
      aria-label={label}
      value={value}
      checked={held}
      onChange={handledByTable}
      tabIndex={-1}
    />
    <span aria-hidden="true" className="tick" />
  </label>
);
