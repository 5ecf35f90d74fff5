import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useId, useState } from 'react';
import { useText } from '../texts/provider.ts';

/** Maximum characters and lines of a text that is shown as a whole. */
const letters = 600;
const lines = 10;

const isLong = (text: string): boolean => text.length > letters || text.split('\n', lines + 1).length > lines;

/** A text with its line breaks; a long one is folded after its beginning. */
export const LongText = ({ value }: { readonly value: string }) => {
  const text = useText();
  const id = useId();
  const [whole, setWhole] = useState(false);
  if (!isLong(value)) return <span style={{ whiteSpace: 'pre-wrap' }}>{value}</span>;
  return (
    <>
      <Box
        id={id}
        component="span"
        sx={{
          whiteSpace: 'pre-wrap',
          display: whole ? 'block' : '-webkit-box',
          overflow: 'hidden',
          WebkitBoxOrient: 'vertical',
          WebkitLineClamp: whole ? 'none' : String(lines),
        }}
      >
        {value}
      </Box>
      <Button
        size="small"
        aria-expanded={whole}
        aria-controls={id}
        onClick={() => setWhole(!whole)}
        sx={{ ml: -0.625, mt: 0.5 }}
      >
        {text(whole ? 'records.fold' : 'records.showAll')}
      </Button>
    </>
  );
};
