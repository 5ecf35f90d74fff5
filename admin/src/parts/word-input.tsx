/** The input of a condition on dates in words. */

import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { useText } from '../texts/provider.ts';
import { countedWords, type DateWord, parseWords, plainWords, wordsText } from './date-words.ts';
import { timeZone } from './moment.ts';

interface WordInputProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const words = [...plainWords, ...countedWords, 'on'] as const satisfies readonly DateWord[];

/** Initial number of days. */
const usualDays = 30;

/** A condition on a date in words: the word, and its number of days or date. */
export const WordInput = ({ value, onChange }: WordInputProps) => {
  const text = useText();
  const [word = 'today', rest = ''] = value.split(/_(.*)/s);
  const counted = countedWords.some((each) => each === word);
  const known = words.find((each) => each === word) ?? 'today';
  const choose = (next: DateWord): void => {
    if (next === 'on') onChange('on_');
    else if (plainWords.some((each) => each === next)) onChange(next);
    else onChange(wordsText({ word: next, count: usualDays }));
  };
  return (
    <>
      <TextField
        select
        label={text('filter.value')}
        value={known}
        onChange={(event) => choose(event.target.value as DateWord)}
      >
        {words.map((each) => (
          <MenuItem key={each} value={each}>
            {text(`filter.word.${each}`)}
          </MenuItem>
        ))}
      </TextField>
      {counted ? (
        <TextField
          label={text('filter.days')}
          value={rest}
          onChange={(event) => onChange(`${word}_${event.target.value}`)}
          error={parseWords(value) === undefined}
          slotProps={{ htmlInput: { inputMode: 'numeric', maxLength: 5 } }}
        />
      ) : null}
      {word === 'on' ? (
        <TextField
          type="date"
          label={text('filter.date')}
          value={rest}
          onChange={(event) => onChange(`on_${event.target.value}`)}
          helperText={text('common.timeZone', { zone: timeZone })}
          slotProps={{ inputLabel: { shrink: true } }}
        />
      ) : null}
    </>
  );
};
