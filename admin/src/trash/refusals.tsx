import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import { failureOf, sentenceOf } from '../parts/problem.ts';
import { useLanguage, useText } from '../texts/provider.ts';
import type { RefusedRestore } from './trashed.ts';

interface RefusalsProps {
  readonly refused: readonly RefusedRestore[];
  readonly nameOf: (id: number) => string;
}

/** Records that were not restored, with the reasons; for a taken value, the message of the field. */
export const Refusals = ({ refused, nameOf }: RefusalsProps) => {
  const text = useText();
  const language = useLanguage();
  if (refused.length === 0) return null;
  const reasonOf = (error: unknown): string => {
    const messages = Object.values(failureOf(error).fields);
    return messages.length === 0 ? sentenceOf(error, language, text) : messages.join(' · ');
  };
  return (
    <Alert severity="error">
      {text('trash.refused', { count: refused.length })}
      <Box component="ul" sx={{ m: 0, pl: 2.5, overflowWrap: 'anywhere' }}>
        {refused.map(({ id, error }) => (
          <li key={id}>
            {nameOf(id)}: {reasonOf(error)}
          </li>
        ))}
      </Box>
    </Alert>
  );
};
