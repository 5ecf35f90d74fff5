import Box from '@mui/material/Box';
import { DialogForm } from '../parts/dialog-form.tsx';
import { useChanged } from '../parts/use-act.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import type { ApiKey } from './api-key.ts';
import { shortenScopes, useScopeWords } from './scopes.ts';

interface NarrowKeyProps {
  readonly apiKey: Pick<ApiKey, 'id' | 'name'> & Partial<Pick<ApiKey, 'scopes'>>;
  readonly narrower: readonly string[];
  readonly onClose: () => void;
}

/** Reduces the scopes of a key to those that its requests of the last 30 days needed, after a comparison. */
export const NarrowKey = ({ apiKey: { id, name, scopes }, narrower, onClose }: NarrowKeyProps) => {
  const text = useText();
  const changed = useChanged();
  const words = useScopeWords();
  const sides = [
    ...(scopes === undefined ? [] : [['before', words(scopes)] as const]),
    ['after', words(narrower)] as const,
  ];
  return (
    <DialogForm
      title={text('keys.narrowTitle', { name })}
      lead={text('keys.narrowLead')}
      action={text('keys.narrow')}
      isChanged={false}
      fields={[]}
      onSubmit={async () => {
        const body = { api_key: { scopes: shortenScopes(narrower) } };
        await send('PATCH', `/admin/api_keys/${id}`, { body });
        await changed(text('keys.narrowed', { name }));
      }}
      onDone={onClose}
      onClose={onClose}
    >
      {() => (
        <Box
          component="dl"
          sx={{ m: 0, display: 'grid', gridTemplateColumns: 'auto 1fr', columnGap: 2, rowGap: 1 }}
        >
          {sides.map(([side, parts]) => (
            <Box key={side} sx={{ display: 'contents' }}>
              <Box component="dt" sx={{ color: 'text.secondary' }}>
                {text(`keys.${side}`)}
              </Box>
              <Box component="dd" sx={{ m: 0 }}>
                {parts.map((part) => (
                  <div key={part}>{part}</div>
                ))}
              </Box>
            </Box>
          ))}
        </Box>
      )}
    </DialogForm>
  );
};
