import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { questionOf, type Refusal } from '../access/refusal.ts';
import { Link } from '../parts/link.tsx';
import { sentenceOfCode } from '../parts/problem.ts';
import { send } from '../service.ts';
import { useLanguage, useText } from '../texts/provider.ts';
import { monospace } from '../theme.ts';

/** Requests that are named; all of them are a tab of the explanations. */
const listed = 3;

/** The requests that were refused most often within a day; each leads to its explanation. */
export const MostRefused = () => {
  const text = useText();
  const language = useLanguage();
  const { data = [] } = useQuery({
    queryKey: ['most refused'],
    queryFn: async () =>
      (await send<readonly Refusal[]>('GET', `/admin/refusals?sort=-refusals&per_page=${listed}`)).data,
  });
  if (data.length === 0) return null;
  return (
    <Paper variant="outlined" component="section" aria-labelledby="most-refused" sx={{ p: 2 }}>
      <Typography id="most-refused" variant="h3" component="h2" sx={{ mb: 1 }}>
        <Link to="/explain?tab=refusals">{text('start.mostRefused')}</Link>
      </Typography>
      <Box component="ul" sx={{ m: 0, p: 0, listStyle: 'none' }}>
        {data.map((refusal) => (
          <Box component="li" key={refusal.id} sx={lineStyle}>
            <Link to={questionOf(refusal)}>
              <span style={{ fontFamily: monospace, fontSize: 12 }}>
                {refusal.method} {refusal.path}
              </span>
            </Link>
            <Box component="span" sx={{ color: 'text.secondary' }}>
              {refusal.code} {sentenceOfCode(refusal.code, language)}
            </Box>
            <Box component="span" sx={{ ml: 'auto', fontVariantNumeric: 'tabular-nums' }}>
              {text('start.times', { count: refusal.refusals })}
            </Box>
          </Box>
        ))}
      </Box>
    </Paper>
  );
};

const lineStyle = {
  display: 'flex',
  flexWrap: 'wrap',
  columnGap: 1.5,
  py: 0.25,
  typography: 'body2',
  overflowWrap: 'anywhere',
} as const;
