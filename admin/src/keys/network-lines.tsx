/** The input of an API key's networks, one per line. */

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { type ClipboardEvent, type KeyboardEvent, useId, useLayoutEffect, useRef } from 'react';
import { Icon } from '../parts/icon.tsx';
import { useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';
import { isNetwork } from './network.ts';

interface NetworkLinesProps {
  readonly value: readonly string[];
  readonly onChange: (lines: readonly string[]) => void;
  /** Error after an attempt to save. */
  readonly error?: string | undefined;
}

const isWrong = (line: string): boolean => line.trim() !== '' && !isNetwork(line.trim());

interface NetworkLineProps {
  readonly place: number;
  readonly line: string;
  readonly showsError: boolean;
  readonly onChange: (line: string) => void;
  readonly onPaste: (event: ClipboardEvent) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onRemove: () => void;
}

const NetworkLine = ({ place, line, showsError, onChange, onRemove, ...events }: NetworkLineProps) => {
  const text = useText();
  const wrong = showsError && isWrong(line);
  return (
    <Box sx={{ display: 'flex', gap: 0.5, alignItems: 'flex-start', maxWidth: 420 }}>
      <TextField
        {...events}
        fullWidth
        margin="none"
        value={line}
        onChange={(event) => onChange(event.target.value)}
        error={wrong}
        helperText={wrong ? text('keys.access.notNetwork', { value: line.trim() }) : undefined}
        slotProps={{
          htmlInput: {
            'aria-label': text('keys.access.network', { place: place + 1 }),
            spellCheck: false,
            autoCapitalize: 'none',
            autoComplete: 'off',
            style: { fontFamily: monospace, fontSize: 13 },
          },
        }}
      />
      <IconButton aria-label={text('keys.access.removeNetwork', { place: place + 1 })} onClick={onRemove}>
        <Icon name="cross" fontSize="small" />
      </IconButton>
    </Box>
  );
};

/** Networks, one per line; a pasted list is split into lines. Each line shows its own error. */
export const NetworkLines = ({ value, onChange, error }: NetworkLinesProps) => {
  const text = useText();
  const label = useId();
  // Lines with errors show them themselves.
  const said = value.some(isWrong) ? undefined : error;
  const list = useRef<HTMLDivElement>(null);
  // Focus moves with the lines, before the next key: a fast typist would lose keys until the next frame.
  const focused = useRef<number>(undefined);
  useLayoutEffect(() => {
    if (focused.current === undefined) return;
    list.current?.querySelectorAll('input')[focused.current]?.focus();
    focused.current = undefined;
  });
  const focusOn = (place: number): void => {
    focused.current = place;
  };
  const add = (place = value.length): void => {
    onChange(value.toSpliced(place, 0, ''));
    focusOn(place);
  };
  const remove = (place: number): void => {
    onChange(value.toSpliced(place, 1));
    focusOn(Math.max(0, place - 1));
  };
  const paste = (event: ClipboardEvent, place: number): void => {
    const lines = event.clipboardData
      .getData('text')
      .split(/[\s,;]+/)
      .filter(Boolean);
    if (lines.length < 2) return;
    event.preventDefault();
    const around = value[place]?.trim() === '' ? 1 : 0;
    onChange(value.toSpliced(place + 1 - around, around, ...lines));
    focusOn(place + lines.length - around);
  };
  const press = (event: KeyboardEvent, place: number): void => {
    if (event.key !== 'Enter') return;
    // Enter must not submit the form.
    event.preventDefault();
    if (value[place]?.trim() !== '') add(place + 1);
  };
  return (
    <Box ref={list} role="group" aria-labelledby={label} sx={{ display: 'grid', gap: 1 }}>
      <Typography id={label} variant="body2" sx={{ color: 'text.secondary' }}>
        {text('keys.access.networks')}
      </Typography>
      {value.map((line, place) => (
        <NetworkLine
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
          key={place}
          place={place}
          line={line}
          showsError={error !== undefined}
          onChange={(next) => onChange(value.with(place, next))}
          onPaste={(event) => paste(event, place)}
          onKeyDown={(event) => press(event, place)}
          onRemove={() => remove(place)}
        />
      ))}
      <div>
        <Button size="small" variant="outlined" onClick={() => add()}>
          {text('keys.access.addNetwork')}
        </Button>
      </div>
      <Typography variant="body2" sx={{ color: said === undefined ? 'text.secondary' : 'error.main' }}>
        {said ?? text('keys.access.networksHelp')}
      </Typography>
    </Box>
  );
};
