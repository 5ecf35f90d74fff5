import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableContainer from '@mui/material/TableContainer';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import { useText } from '../texts/provider.ts';
import { FieldValue } from './field-value.tsx';
import type { Metadata, MetadataField } from './metadata.ts';
import type { AnyRecord } from './record.ts';

type Values = Readonly<Record<string, unknown>>;

interface ConflictProps {
  readonly metadata: Metadata;
  /** The record as the form began with it. */
  readonly before: Values;
  readonly mine: Values;
  /** The record as somebody else has saved it since. */
  readonly theirs: AnyRecord;
  readonly onMine: (kept: Values) => void;
  readonly onTheirs: () => void;
  readonly onClose: () => void;
}

const differ = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) !== JSON.stringify(other ?? null);

/** Somebody was faster: what both have changed, side by side, and whose is to stand. */
export const Conflict = ({ metadata, before, mine, theirs, onMine, onTheirs, onClose }: ConflictProps) => {
  const text = useText();
  const changedHere = ({ name }: MetadataField): boolean => differ(mine[name], before[name]);
  const writable = metadata.fields.filter((field) => !field.read_only);
  const differing = writable.filter(
    (field) => changedHere(field) || differ(theirs[field.name], before[field.name]),
  );
  const kept = Object.fromEntries(writable.filter(changedHere).map(({ name }) => [name, mine[name]]));
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="md" aria-labelledby="conflict">
      <DialogTitle id="conflict">{text('conflict.title')}</DialogTitle>
      <DialogContent>
        <Alert severity="warning" sx={{ mb: 2 }}>
          {text('conflict.lead')}
        </Alert>
        <TableContainer tabIndex={0} role="region" aria-labelledby="conflict">
          <Table size="small">
            <TableHead>
              <TableRow>
                <TableCell>{text('conflict.field')}</TableCell>
                <TableCell>{text('conflict.mine')}</TableCell>
                <TableCell>{text('conflict.theirs')}</TableCell>
              </TableRow>
            </TableHead>
            <TableBody>
              {differing.map((field) => (
                <TableRow key={field.name}>
                  <TableCell component="th" scope="row">
                    {field.label}
                  </TableCell>
                  <TableCell sx={{ fontWeight: changedHere(field) ? 650 : 400, overflowWrap: 'anywhere' }}>
                    <FieldValue field={field} value={mine[field.name]} />
                  </TableCell>
                  <TableCell
                    sx={{
                      fontWeight: differ(theirs[field.name], before[field.name]) ? 650 : 400,
                      overflowWrap: 'anywhere',
                    }}
                  >
                    <FieldValue field={field} value={theirs[field.name]} />
                  </TableCell>
                </TableRow>
              ))}
            </TableBody>
          </Table>
        </TableContainer>
      </DialogContent>
      <DialogActions sx={{ flexWrap: 'wrap', gap: 0.5 }}>
        <Button onClick={onClose}>{text('conflict.continue')}</Button>
        <Button onClick={onTheirs}>{text('conflict.takeTheirs')}</Button>
        <Button variant="contained" onClick={() => onMine(kept)}>
          {text('conflict.keepMine')}
        </Button>
      </DialogActions>
    </Dialog>
  );
};
