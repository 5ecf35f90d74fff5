import { defineConfig } from 'gatewright';

export default defineConfig({
  name: 'Praxis',
  payment: false,
  // To the log, until a server is configured: mail: { smtp: 'smtps://mailer@mail.example.com', from: '…' }.
  mail: 'log',
  registration: { roles: ['viewer'] },
  accounts: { remove: true, rename: true },
  sessions: { days: 30 },
  limits: { default: { per: 'clinic', max: 3000, window: '1m', each: 600 } },
});
