/** The results of an import by line. */

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { exactJson } from '../exact.ts';
import { csvLine } from '../parts/csv.ts';
import { saveCsv } from '../parts/export.tsx';
import type { Metadata } from '../records/metadata.ts';
import { useText } from '../texts/provider.ts';
import type { FileContent } from './file-lines.ts';
import type { ImportedLine, ImportResult } from './run-import.ts';

/** Lines shown of each kind. */
const shown = 20;

const kinds = ['refuse', 'update', 'create'] as const;

interface ImportReportProps {
  readonly path: string;
  readonly metadata: Metadata;
  readonly content: FileContent | undefined;
  readonly result: ImportResult;
}

/** The result of an import by line: the first lines of each kind, and a file of all rejected ones. */
export const ImportReport = ({ path, metadata, content, result }: ImportReportProps) => {
  const text = useText();
  const labelOf = (name: string): string =>
    metadata.fields.find((field) => field.name === name)?.label ?? name;
  const save = (): void => {
    const { columns = [], lines = [] } = content ?? {};
    const values = new Map(lines.map((each) => [each.line, each.values]));
    const refused = result.lines.filter(({ action }) => action === 'refuse');
    const rows = refused.map(({ line, errors }) =>
      csvLine([
        ...columns.map((name) => values.get(line)?.[name]),
        errors.map(({ message }) => message).join(' · '),
        line,
      ]),
    );
    saveCsv(`${path}-${text('imports.refusedFile')}`, [
      csvLine([...columns, text('imports.reason'), text('imports.line')]),
      ...rows,
    ]);
  };
  return (
    <Stack sx={{ gap: 2 }}>
      {result.refused === 0 ? null : (
        <Button sx={{ alignSelf: 'flex-start' }} onClick={save}>
          {text('imports.saveRefused')}
        </Button>
      )}
      {kinds.map((kind) => (
        <Lines
          key={kind}
          kind={kind}
          lines={result.lines.filter(({ action }) => action === kind)}
          labelOf={labelOf}
        />
      ))}
    </Stack>
  );
};

interface LinesProps {
  readonly kind: ImportedLine['action'];
  readonly lines: readonly ImportedLine[];
  readonly labelOf: (name: string) => string;
}

const shownValue = (value: unknown): string =>
  value === null || value === undefined
    ? '—'
    : typeof value === 'object'
      ? exactJson.stringify(value)
      : String(value);

const Lines = ({ kind, lines, labelOf }: LinesProps) => {
  const text = useText();
  if (lines.length === 0) return null;
  return (
    <Paper variant="outlined" sx={{ p: 2 }}>
      <Typography variant="h2">{text(`imports.kinds.${kind}`, { count: lines.length })}</Typography>
      <Box component="ul" sx={{ m: 0, mt: 1, pl: 2.5, overflowWrap: 'anywhere' }}>
        {lines.slice(0, shown).map(({ line, errors, changes }) => (
          <li key={line}>
            {text('imports.atLine', { line })}
            {errors.map(({ field, message, value }) => (
              <Typography key={`${field} ${message}`} variant="body2" color="error">
                {message}
                {value === undefined || value === null ? null : (
                  <>
                    {text('imports.value')}
                    <code>{shownValue(value)}</code>
                  </>
                )}
              </Typography>
            ))}
            {Object.entries(changes).map(([name, [before, after]]) => (
              <Typography key={name} variant="body2">
                {labelOf(name)} <del>{shownValue(before)}</del> → <ins>{shownValue(after)}</ins>
              </Typography>
            ))}
          </li>
        ))}
        {lines.length > shown ? <li>{text('list.more', { count: lines.length - shown })}</li> : null}
      </Box>
    </Paper>
  );
};
