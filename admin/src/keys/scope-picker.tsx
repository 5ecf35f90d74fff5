/** The input of an API key's scopes. */

import Box from '@mui/material/Box';
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useEffect, useId, useRef, useState } from 'react';
import { Loaded } from '../layout/failure.tsx';
import { enterAt, keepEntry, moveByArrow } from '../parts/table-keys.ts';
import { useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';
import { actionIn, type ScopeEntry, scopeActions, useKnownScopes } from './scopes.ts';

interface ScopePickerProps {
  /** Null for everything that the owner can do. */
  readonly value: readonly string[] | null;
  readonly onChange: (scopes: readonly string[] | null) => void;
  readonly error?: string | undefined;
}

/** The scopes of a key: everything that its owner can do, or a choice of actions and endpoints. */
export const ScopePicker = ({ value, onChange, error }: ScopePickerProps) => {
  const text = useText();
  const label = useId();
  // Keeps the choice while the other option is selected.
  const [chosen, setChosen] = useState<readonly string[]>(value ?? []);
  const choose = (scopes: readonly string[]): void => {
    setChosen(scopes);
    onChange(scopes);
  };
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 1 }}>
      <Typography id={label} variant="body2" sx={{ color: 'text.secondary' }}>
        {text('keys.access.scopes')}
      </Typography>
      <RadioGroup
        aria-labelledby={label}
        value={value === null ? 'everything' : 'chosen'}
        onChange={(_event, next) => onChange(next === 'chosen' ? chosen : null)}
      >
        {(['everything', 'chosen'] as const).map((each) => (
          <FormControlLabel
            key={each}
            value={each}
            control={<Radio size="small" />}
            sx={{ alignItems: 'flex-start', mr: 0, '& .MuiRadio-root': { mt: '-6px' } }}
            label={
              <>
                {text(`keys.access.${each}`)}
                <Typography
                  variant="body2"
                  component="span"
                  sx={{ display: 'block', color: 'text.secondary' }}
                >
                  {text(`keys.access.${each}Help`)}
                </Typography>
              </>
            }
          />
        ))}
      </RadioGroup>
      {value === null ? null : <Known value={value} onChange={choose} error={error} />}
      {error === undefined ? null : <FormHelperText error>{error}</FormHelperText>}
    </Box>
  );
};

interface ChosenProps {
  readonly value: readonly string[];
  readonly onChange: (scopes: readonly string[]) => void;
  readonly error?: string | undefined;
}

const Known = (props: ChosenProps) => (
  <Loaded query={useKnownScopes()}>{(known) => <Choices known={known} {...props} />}</Loaded>
);

interface ChoicesProps extends ChosenProps {
  readonly known: readonly ScopeEntry[];
}

interface ModelRow {
  readonly path: string;
  readonly label: string;
  readonly actions: ReadonlySet<string>;
}

const modelsIn = (known: readonly ScopeEntry[]): readonly ModelRow[] => {
  const rows = new Map<string, { path: string; label: string; actions: Set<string> }>();
  for (const { scope, label } of known) {
    const named = actionIn(scope);
    if (named === undefined) continue;
    const row = rows.get(named.path) ?? { path: named.path, label, actions: new Set() };
    row.actions.add(named.action);
    rows.set(named.path, row);
  }
  return [...rows.values()];
};

/** Number of resources from which on there is a search. */
const many = 10;

const Choices = ({ known, value, onChange, error }: ChoicesProps) => {
  const text = useText();
  const [words, setWords] = useState('');
  const held = new Set(value);
  const all = modelsIn(known);
  const wanted = words.trim().toLowerCase();
  const shown = all.filter(({ path, label }) => `${label} ${path}`.toLowerCase().includes(wanted));
  const endpoints = known.filter(({ scope }) => actionIn(scope) === undefined);
  const gone = value.filter((scope) => !known.some((entry) => entry.scope === scope));
  const put = (scopes: readonly string[], on: boolean): void => {
    const next = new Set(value);
    for (const scope of scopes) {
      if (on) next.add(scope);
      else next.delete(scope);
    }
    // In the order of the service, so that equal choices are equal lists.
    onChange(known.map(({ scope }) => scope).filter((scope) => next.has(scope)));
  };
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 1 }}>
      {all.length < many ? null : (
        <TextField
          type="search"
          size="small"
          margin="none"
          label={text('keys.access.findResource')}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      )}
      {shown.length === 0 ? (
        <Typography sx={{ color: 'text.secondary' }}>{text('keys.access.noneFound')}</Typography>
      ) : (
        <ModelTable rows={shown} held={held} onPut={put} invalid={error !== undefined} />
      )}
      {endpoints.length === 0 ? null : (
        <Box component="fieldset" sx={{ m: 0, p: 0, border: 0, minWidth: 0 }}>
          <Typography component="legend" variant="body2" sx={{ color: 'text.secondary', p: 0 }}>
            {text('keys.access.endpoints')}
          </Typography>
          {endpoints.map(({ scope, label }) => (
            <FormControlLabel
              key={scope}
              sx={{ display: 'flex', mr: 0, '& .MuiFormControlLabel-label': { overflowWrap: 'anywhere' } }}
              control={
                <Checkbox
                  size="small"
                  checked={held.has(scope)}
                  onChange={(event) => put([scope], event.target.checked)}
                />
              }
              label={
                <>
                  <code style={{ fontFamily: monospace, fontSize: 'var(--small)' }}>{scope}</code>{' '}
                  {label === scope ? null : (
                    <Box component="span" sx={{ color: 'text.secondary', typography: 'body2' }}>
                      {label}
                    </Box>
                  )}
                </>
              }
            />
          ))}
        </Box>
      )}
      {gone.length === 0 ? null : (
        <FormHelperText>{text('keys.access.removedScopes', { scopes: gone.join(', ') })}</FormHelperText>
      )}
    </Box>
  );
};

interface ModelTableProps {
  readonly rows: readonly ModelRow[];
  readonly held: ReadonlySet<string>;
  readonly onPut: (scopes: readonly string[], on: boolean) => void;
  readonly invalid: boolean;
}

/** A row for each model, a box for each action: arrow keys move, the space bar toggles. */
const ModelTable = ({ rows, held, onPut, invalid }: ModelTableProps) => {
  const text = useText();
  const region = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (region.current !== null) enterAt(region.current);
  }, []);
  return (
    <Box ref={region} onKeyDown={moveByArrow} onFocus={keepEntry} sx={tableStyle}>
      <table aria-label={text('keys.access.choose')}>
        <thead>
          <tr>
            <th scope="col">{text('keys.access.resource')}</th>
            {scopeActions.map((action) => (
              <th key={action} scope="col">
                {text(`permissions.action.${action}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ path, label, actions }) => {
            const scopes = [...actions].map((action) => `${path}:${action}`);
            const isWhole = scopes.every((scope) => held.has(scope));
            return (
              <tr key={path}>
                <th scope="row">
                  <button
                    type="button"
                    tabIndex={-1}
                    aria-pressed={isWhole}
                    aria-label={text('keys.access.allOf', { name: label })}
                    title={path}
                    onClick={() => onPut(scopes, !isWhole)}
                  >
                    {label}
                  </button>
                </th>
                {scopeActions.map((action) => (
                  <td key={action}>
                    {actions.has(action) ? (
                      <input
                        type="checkbox"
                        tabIndex={-1}
                        aria-label={`${label}: ${text(`permissions.action.${action}`)}`}
                        aria-invalid={invalid}
                        checked={held.has(`${path}:${action}`)}
                        onChange={(event) => onPut([`${path}:${action}`], event.target.checked)}
                      />
                    ) : null}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </Box>
  );
};

const tableStyle = {
  border: 1,
  borderColor: 'divider',
  borderRadius: 1,
  overflow: 'auto',
  maxHeight: 420,
  scrollPaddingTop: 36,
  '& table': { width: '100%', borderCollapse: 'separate', borderSpacing: 0, fontSize: 'var(--small)' },
  '& th, & td': { height: 32, px: 0.5, py: 0, textAlign: 'center', borderBottom: 1, borderColor: 'divider' },
  '& tbody tr:last-of-type > *': { borderBottom: 0 },
  '& th:first-of-type': { textAlign: 'left', pl: 1.5, width: '44%', overflowWrap: 'anywhere' },
  '& thead th': {
    position: 'sticky',
    top: 0,
    zIndex: 1,
    bgcolor: 'background.paper',
    fontWeight: 500,
    color: 'text.secondary',
  },
  '& tbody th button': {
    all: 'unset',
    cursor: 'pointer',
    fontWeight: 500,
    py: 0.5,
    '&:hover': { textDecoration: 'underline' },
    '&:focus-visible': {
      outline: '2px solid',
      outlineColor: 'primary.main',
      outlineOffset: 2,
      borderRadius: 0.5,
    },
  },
  '& input': { width: 18, height: 18, m: 0, accentColor: 'var(--accent)', verticalAlign: 'middle' },
} as const;
