import Alert from '@mui/material/Alert';
import Typography from '@mui/material/Typography';
import { ReferenceRow } from '../deletion/consequences.tsx';
import { useForecast } from '../deletion/forecast.ts';
import { useText } from '../texts/provider.ts';
import type { User } from './user.ts';

const makers: readonly string[] = ['created_by', 'invited_by'];

/**
 * Keys, webhooks and invitation links that a user created for others. An administrator who disables, demotes or deletes
 * the user decides about them. Renders nothing if there are none.
 */
export const MadeForOthers = ({ user }: { readonly user: User }) => {
  const text = useText();
  const { data } = useForecast('users', [user.id]);
  const made = data?.references.filter(({ field }) => makers.includes(field)) ?? [];
  if (made.length === 0) return null;
  return (
    <Alert severity="info" component="section">
      <Typography variant="body2" component="h2" sx={{ fontWeight: 650 }}>
        {text('users.madeForOthers')}
      </Typography>
      {text('users.madeForOthersLead')}
      <ul>
        {made.map((reference) => (
          <li key={reference.model}>
            <ReferenceRow reference={reference} name={user.username} />
          </li>
        ))}
      </ul>
    </Alert>
  );
};
