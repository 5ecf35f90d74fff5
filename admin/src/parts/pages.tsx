/** The pagination of a list. */

import Box from '@mui/material/Box';
import Pagination from '@mui/material/Pagination';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import useMediaQuery from '@mui/material/useMediaQuery';
import { useListContext } from 'ra-core';
import type { ChangeEvent } from 'react';
import { useLanguage, useText } from '../texts/provider.ts';
import { plainControl } from './list-look.ts';

const sizes = [10, 25, 50, 100] as const;

/** The pages of the list context. */
export const Pages = ({ label }: { readonly label: string }) => {
  const { page, perPage, total = 0, setPage, setPerPage, isPending } = useListContext();
  const text = useText();
  const language = useLanguage();
  const narrow = useMediaQuery('(max-width: 760px)');
  if (isPending || total === 0) return null;
  const number = new Intl.NumberFormat(language);
  const from = (page - 1) * perPage + 1;
  return (
    <Stack
      direction="row"
      sx={{
        alignItems: 'center',
        justifyContent: 'space-between',
        gap: 1,
        px: 1.5,
        py: 1,
        flexWrap: 'wrap',
        borderTop: 1,
        borderColor: 'divider',
      }}
    >
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {text('list.range', {
          from: number.format(from),
          to: number.format(Math.min(total, page * perPage)),
          total: number.format(total),
        })}
      </Typography>
      <Stack direction="row" sx={{ alignItems: 'center', gap: 1 }}>
        <Pagination
          size="small"
          siblingCount={narrow ? 0 : 1}
          boundaryCount={1}
          page={page}
          count={Math.max(1, Math.ceil(total / perPage))}
          onChange={(_event, next) => setPage(next)}
          aria-label={text('common.list', { name: label, items: text('list.pages') })}
          getItemAriaLabel={(type, target) =>
            type === 'page'
              ? text('list.page', { page: target ?? 1 })
              : text(type === 'previous' ? 'list.previous' : type === 'next' ? 'list.next' : 'list.pages')
          }
        />
        <Box
          component="select"
          aria-label={text('list.perPage')}
          value={perPage}
          onChange={(event: ChangeEvent<HTMLSelectElement>) => setPerPage(Number(event.target.value))}
          sx={{ ...plainControl, px: 0.75 }}
        >
          {sizes.map((size) => (
            <option key={size} value={size}>
              {size}
            </option>
          ))}
        </Box>
      </Stack>
    </Stack>
  );
};
