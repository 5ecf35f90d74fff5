import { defineConfig } from 'gatewright';

export default defineConfig({
  mail: { smtp: process.env['SMTP'] ?? 'smtp://localhost', from: 'Service <service@example.com>' },
  registration: {},
});
