import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useState } from 'react';
import type { FilterField } from '../parts/filter-field.ts';
import { JsonText } from '../parts/json-text.tsx';
import { RecordListPage } from '../parts/record-list-page.tsx';
import type { Column } from '../parts/record-table.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { type Text, useText } from '../texts/provider.ts';

interface Payment {
  readonly id: number;
  readonly app_id: string;
  readonly order_no: unknown;
  readonly amount: unknown;
  readonly currency: unknown;
  readonly status: string;
  readonly body: unknown;
  readonly created_at: string;
}

/** The application's own values, of whatever type it sent. */
const plain = (value: unknown): string => {
  if (value === null || value === undefined) return '—';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

const columns = (text: Text): Column<Payment>[] => [
  { name: 'id', label: text('payments.id'), render: ({ id }) => id },
  { name: 'app_id', label: text('applications.appId'), render: ({ app_id }) => app_id },
  {
    name: 'order_no',
    label: text('payments.orderNo'),
    sortable: false,
    render: ({ order_no }) => plain(order_no),
  },
  {
    name: 'amount',
    label: text('payments.amount'),
    sortable: false,
    align: 'right',
    render: ({ amount, currency }) =>
      currency === null ? plain(amount) : `${plain(amount)} ${plain(currency)}`,
  },
  {
    name: 'created_at',
    label: text('payments.receivedAt'),
    render: ({ created_at }) => <RelativeTime value={created_at} />,
  },
  {
    name: 'body',
    acts: true,
    label: text('payments.body'),
    sortable: false,
    render: (payment) => <Body payment={payment} />,
  },
];

const Body = ({ payment: { id, body } }: { readonly payment: Payment }) => {
  const text = useText();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        size="small"
        onClick={() => setOpen(true)}
        aria-label={`${text('common.show')} ${text('payments.showBody', { id })}`}
      >
        {text('common.show')}
      </Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        fullWidth
        maxWidth="sm"
        aria-labelledby={`payment-${id}`}
      >
        <DialogTitle id={`payment-${id}`}>{text('payments.showBody', { id })}</DialogTitle>
        <DialogContent>
          <JsonText value={body} label={text('payments.body')} />
        </DialogContent>
        <DialogActions>
          <Button onClick={() => setOpen(false)}>{text('common.close')}</Button>
        </DialogActions>
      </Dialog>
    </>
  );
};

const filters = (text: Text): FilterField[] => [
  {
    name: 'app_id',
    label: text('applications.appId'),
    kind: 'text',
    operators: ['eq', 'like', 'starts_with'],
  },
  { name: 'created_at', label: text('payments.receivedAt'), kind: 'datetime', operators: ['gte', 'lte'] },
];

export const Payments = () => {
  const text = useText();
  return (
    <RecordListPage<Payment>
      resource="payments"
      title={text('payments.title')}
      lead={text('payments.lead')}
      columns={columns(text)}
      filters={filters(text)}
      empty={text('payments.empty')}
    />
  );
};
