/** The page that imports a file. */

import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useParams } from 'react-router';
import { joinList } from '../../../src/kernel/spacing.ts';
import { Icon } from '../parts/icon.tsx';
import { LinkButton } from '../parts/link.tsx';
import { Page } from '../parts/page.tsx';
import { useTell } from '../parts/problem.ts';
import { UngrantedPage } from '../parts/ungranted.tsx';
import type { Metadata } from '../records/metadata.ts';
import { WithMetadata } from '../records/with-metadata.tsx';
import { useLanguage, useText } from '../texts/provider.ts';
import { type FileContent, maxBytes, readFile } from './file-lines.ts';
import { ImportMapping } from './import-mapping.tsx';
import { ImportReport } from './import-report.tsx';
import { type ImportResult, runImport } from './run-import.ts';

/** Imports the lines of a file after a preview. */
export const ImportPage = () => {
  const { path = '' } = useParams();
  const text = useText();
  return (
    <WithMetadata key={path} path={path}>
      {(metadata) =>
        metadata.permissions.create ? (
          <Import metadata={metadata} path={path} />
        ) : (
          <UngrantedPage
            title={text('titles.import', { labels: metadata.plural_label })}
            label={metadata.plural_label}
            action="create"
          />
        )
      }
    </WithMetadata>
  );
};

/** Maximum number of lines of commas that are listed. */
const maxListed = 20;

interface Done {
  readonly preview: boolean;
  readonly result: ImportResult;
}

/** The columns named like a field, by its name or its label. */
const matchColumns = ({ columns }: FileContent, { fields }: Metadata): Readonly<Record<string, string>> =>
  Object.fromEntries(
    columns.map((column) => {
      const name = column.trim().toLowerCase();
      const field = fields.find((each) => each.name === name || each.label.toLowerCase() === name);
      return [column, field?.name ?? ''];
    }),
  );

const Import = ({ metadata, path }: { readonly metadata: Metadata; readonly path: string }) => {
  const text = useText();
  const tell = useTell();
  const client = useQueryClient();
  const [content, setContent] = useState<FileContent>();
  const [mapping, setMapping] = useState<Readonly<Record<string, string>>>({});
  const [by, setBy] = useState('');
  const [progress, setProgress] = useState<number>();
  const [done, setDone] = useState<Done>();

  const choose = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    setDone(undefined);
    if (file.size > maxBytes)
      return tell(new Error(text('imports.tooLarge', { size: maxBytes / 1024 / 1024 })));
    const read = await readFile(file);
    setContent(read);
    setMapping(matchColumns(read, metadata));
  };
  const run = async (preview: boolean): Promise<void> => {
    if (content === undefined) return;
    setProgress(0);
    const onProgress = (result: ImportResult, lines: number): void => {
      setDone({ preview, result });
      setProgress((lines / Math.max(1, content.lines.length)) * 100);
    };
    try {
      await runImport({ path, content, mapping, by }, preview, onProgress);
    } catch (error) {
      tell(error);
    }
    if (!preview) await client.invalidateQueries();
    setProgress(undefined);
  };
  const busy = progress !== undefined;
  const change = (then: () => void): void => {
    setDone(undefined);
    then();
  };
  const wanted = done?.preview === true ? done.result.created + done.result.updated : 0;

  return (
    <Page
      title={text('titles.import', { labels: metadata.plural_label })}
      lead={text('imports.lead')}
      actions={<LinkButton to={`/records/${path}`}>{text('common.toList')}</LinkButton>}
    >
      <Stack sx={{ gap: 2 }}>
        <FileChoice content={content} disabled={busy} onChoose={(file) => void choose(file)} />
        {content === undefined ? null : (
          <ImportMapping
            metadata={metadata}
            columns={content.columns}
            mapping={mapping}
            by={by}
            onMap={(column, field) => change(() => setMapping({ ...mapping, [column]: field }))}
            onBy={(field) => change(() => setBy(field))}
          />
        )}
        {content === undefined ? null : (
          <Stack direction="row" sx={{ gap: 1, flexWrap: 'wrap' }}>
            <Button variant="outlined" disabled={busy} onClick={() => void run(true)}>
              {text('imports.preview')}
            </Button>
            <Button variant="contained" disabled={busy || wanted === 0} onClick={() => void run(false)}>
              {text('imports.run', { count: wanted })}
            </Button>
          </Stack>
        )}
        {busy ? (
          <LinearProgress variant="determinate" value={progress} aria-label={text('imports.progress')} />
        ) : null}
        {done === undefined ? null : (
          <Outcome done={done} path={path} metadata={metadata} content={content} />
        )}
      </Stack>
    </Page>
  );
};

interface FileChoiceProps {
  readonly content: FileContent | undefined;
  readonly disabled: boolean;
  readonly onChoose: (file: File | undefined) => void;
}

/** Takes a file, dropped or chosen, and shows the number of its lines. */
const FileChoice = ({ content, disabled, onChoose }: FileChoiceProps) => {
  const text = useText();
  const language = useLanguage();
  const input = useRef<HTMLInputElement>(null);
  return (
    <Paper
      variant="outlined"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        onChoose(event.dataTransfer.files[0]);
      }}
      sx={{ p: 3, textAlign: 'center', borderStyle: 'dashed' }}
    >
      <Button
        variant="outlined"
        startIcon={<Icon name="upload" />}
        disabled={disabled}
        onClick={() => input.current?.click()}
      >
        {text('imports.choose')}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        accept=".csv,.jsonl,.ndjson,.json,text/csv"
        onChange={(event) => onChoose(event.target.files?.[0])}
      />
      <Typography sx={{ mt: 1, color: 'text.secondary' }}>
        {content === undefined
          ? text('imports.drop')
          : text('imports.linesRead', { count: content.lines.length })}
      </Typography>
      {content === undefined || content.emptyLines.length === 0 ? null : (
        <Typography sx={{ color: 'text.secondary' }}>
          {text('imports.emptyLines', {
            count: content.emptyLines.length,
            lines: joinList(language, content.emptyLines.slice(0, maxListed).map(String)),
            more: content.emptyLines.length > maxListed ? '…' : '',
          })}
        </Typography>
      )}
    </Paper>
  );
};

interface OutcomeProps {
  readonly done: Done;
  readonly path: string;
  readonly metadata: Metadata;
  readonly content: FileContent | undefined;
}

/** The result of an import or its preview: one sentence, then line by line. */
const Outcome = ({ done: { preview, result }, ...report }: OutcomeProps) => {
  const text = useText();
  return (
    <>
      <Alert severity={result.refused > 0 ? 'warning' : preview ? 'info' : 'success'}>
        {text(preview ? 'imports.previewResult' : 'imports.result', {
          created: result.created,
          updated: result.updated,
          refused: result.refused,
        })}
      </Alert>
      <ImportReport {...report} result={result} />
    </>
  );
};
