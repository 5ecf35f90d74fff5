import CopyIcon from '@mui/icons-material/ContentCopyOutlined';
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import FormControlLabel from '@mui/material/FormControlLabel';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useEffect, useState } from 'react';
import { basePath } from '../base.ts';
import { useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';

export interface NewApiKey {
  readonly id: number;
  readonly name: string;
  readonly key: string;
  readonly expires_at: string | null;
}

const Secret = ({ label, value }: { readonly label: string; readonly value: string }) => {
  const text = useText();
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(value);
      setState('copied');
    } catch {
      // Without https, or where it is forbidden: the text can still be selected.
      setState('failed');
    }
  };
  return (
    <Stack sx={{ gap: 0.5 }}>
      <Stack direction="row" sx={{ alignItems: 'center', justifyContent: 'space-between' }}>
        <Typography variant="body2" sx={{ color: 'text.secondary' }}>
          {label}
        </Typography>
        <Button size="small" startIcon={<CopyIcon />} onClick={() => void copy()} aria-live="polite">
          {text(state === 'idle' ? 'common.copy' : state === 'copied' ? 'common.copied' : 'common.notCopied')}
        </Button>
      </Stack>
      <Box
        component="code"
        tabIndex={0}
        role="textbox"
        aria-readonly
        aria-label={label}
        sx={{
          display: 'block',
          fontFamily: monospace,
          fontSize: 13,
          p: 1.5,
          borderRadius: 1,
          bgcolor: 'background.default',
          border: 1,
          borderColor: 'divider',
          overflowWrap: 'anywhere',
          userSelect: 'all',
        }}
      >
        {value}
      </Box>
    </Stack>
  );
};

/** The whole key, this once. The dialog closes only when somebody says that it is kept; leaving the page asks too. */
export const CreatedKey = ({
  created,
  onClose,
}: {
  readonly created: NewApiKey;
  readonly onClose: () => void;
}) => {
  const text = useText();
  const [kept, setKept] = useState(false);
  const address = `${window.location.origin}${basePath}/api/v1/users`;
  useEffect(() => {
    if (kept) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [kept]);
  return (
    <Dialog open fullWidth maxWidth="sm" aria-labelledby="created-key">
      <DialogTitle id="created-key">{text('keys.createdTitle', { name: created.name })}</DialogTitle>
      <DialogContent>
        <Stack sx={{ gap: 2 }}>
          <Alert severity="warning">{text('keys.createdLead')}</Alert>
          <Secret label={text('keys.key')} value={created.key} />
          <Secret label={text('keys.curl')} value={`curl -H 'X-Api-Key: ${created.key}' ${address}`} />
          <FormControlLabel
            control={<Checkbox checked={kept} onChange={(event) => setKept(event.target.checked)} />}
            label={text('keys.kept')}
          />
        </Stack>
      </DialogContent>
      <DialogActions>
        <Button variant="contained" disabled={!kept} onClick={onClose}>
          {text('common.close')}
        </Button>
      </DialogActions>
    </Dialog>
  );
};
