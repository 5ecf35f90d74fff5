/** The permissions and row rules of a role, on its page. */

import Alert from '@mui/material/Alert';
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { Link } from '../parts/link.tsx';
import { Section } from '../parts/section.tsx';
import type { Metadata } from '../records/metadata.ts';
import { useModelName, useModels } from '../records/use-metadata.ts';
import { loadMetadata } from '../service.ts';
import { type Language, useLanguage, useText } from '../texts/provider.ts';
import { superAdmin } from '../users/user.ts';
import {
  entryKey,
  type ModelActions,
  type PermissionAction,
  permissionActions,
  usePermissionTable,
  useTicks,
} from './permission-table.ts';
import { reachesEveryRow } from './role.ts';

/** Row rules in words, from the metadata of a model that has some. */
interface Isolated {
  readonly isolation?: { readonly [Rule in RuleName]?: string };
}

/** The records of each model that non-administrators can access; models without row rules are absent. */
const useRowRules = (models: readonly ModelActions[], language: Language, wanted: boolean) => {
  const names = models.map(({ model }) => model);
  const { data } = useQuery({
    queryKey: ['row rules', language, ...names],
    enabled: wanted && names.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const found = await Promise.all(
        names.map(async (model) => {
          const metadata: Metadata & Isolated = await loadMetadata(model, language);
          return [model, metadata.isolation] as const;
        }),
      );
      return new Map(found);
    },
  });
  return data;
};

/** The permissions of a role by model, and the records that they cover. */
export const RoleGrants = ({ role }: { readonly role: string }) => {
  const text = useText();
  const language = useLanguage();
  const nameOf = useModelName();
  const entries = useModels();
  const { models, granted } = usePermissionTable();
  const { shown, tick } = useTicks(granted);
  const rules = useRowRules(models, language, !reachesEveryRow(role));
  return (
    <Section title={text('roles.grants')}>
      {role === superAdmin ? (
        <Alert severity="info">{text('users.allGranted')}</Alert>
      ) : (
        <Paper
          variant="outlined"
          component="ul"
          sx={{
            m: 0,
            p: 0,
            listStyle: 'none',
            '& > li': { px: 2, py: 1, borderBottom: 1, borderColor: 'divider' },
            '& > li:last-child': { borderBottom: 0 },
          }}
        >
          {models.map(({ model, actions }) => {
            const path = entries.find((entry) => entry.model === model)?.path;
            const checked = actions.some((each) => each.checked);
            return (
              <li key={model}>
                <Stack
                  direction="row"
                  sx={{ columnGap: 2, rowGap: 0.5, flexWrap: 'wrap', alignItems: 'center' }}
                >
                  <Typography sx={{ flex: { xs: '1 0 100%', sm: '0 0 200px' }, fontWeight: 600 }}>
                    {path === undefined ? (
                      nameOf(model)
                    ) : (
                      <Link to={`/records/${path}`}>{nameOf(model)}</Link>
                    )}
                  </Typography>
                  {actions.map(({ action }) => {
                    const entry = { role, model, action };
                    const name = text(`permissions.action.${action}`);
                    return (
                      <FormControlLabel
                        key={action}
                        control={
                          <Checkbox
                            size="small"
                            checked={shown.has(entryKey(entry))}
                            onChange={(event) => void tick({ ...entry, allowed: event.target.checked })}
                            slotProps={{ input: { 'aria-label': `${role}: ${model} ${name}` } }}
                          />
                        }
                        label={name}
                        sx={{ mr: 0 }}
                        slotProps={{ typography: { variant: 'body2' } }}
                      />
                    );
                  })}
                </Stack>
                {checked ? null : (
                  <Typography variant="body2" sx={{ color: 'text.secondary' }}>
                    {text('permissions.uncheckedHelp')}
                  </Typography>
                )}
                <Reach rule={rules?.get(model)} />
              </li>
            );
          })}
        </Paper>
      )}
      {role === 'admin' ? (
        <Typography variant="body2" sx={{ color: 'text.secondary' }}>
          {text('roles.everyRow')}
        </Typography>
      ) : null}
    </Section>
  );
};

/** Text with names of fields between backticks. */
const Words = ({ words }: { readonly words: string }) =>
  words
    .split('`')
    .map((part, index) => ({ part, code: index % 2 === 1, place: `${index} ${part}` }))
    .map(({ part, code, place }) =>
      code ? <code key={place}>{part}</code> : <span key={place}>{part}</span>,
    );

/** Rules of `isolation` by action, in the order of the boxes above; `write` covers all three writes. */
const ruleNames = {
  read: ['read'],
  create: ['create', 'write'],
  update: ['update', 'write'],
  destroy: ['destroy', 'write'],
} as const satisfies Record<PermissionAction, readonly string[]>;

type RuleName = (typeof ruleNames)[PermissionAction][number];

/** A row rule in words, with its actions. */
const Reach = ({ rule }: { readonly rule: Isolated['isolation'] }) => {
  const text = useText();
  if (rule === undefined) return null;
  const found = new Map<string, PermissionAction[]>();
  for (const action of permissionActions)
    for (const name of ruleNames[action]) {
      const words = rule[name];
      if (words !== undefined) found.set(words, [...(found.get(words) ?? []), action]);
    }
  return [...found].map(([words, actions]) => (
    <Typography key={words} variant="body2" sx={{ color: 'text.secondary', overflowWrap: 'anywhere' }}>
      {found.size === 1
        ? text('roles.reach')
        : text('roles.reachOf', {
            actions: actions.map((each) => text(`permissions.action.${each}`)).join(text('roles.and')),
          })}
      <Words words={words} />
    </Typography>
  ));
};
