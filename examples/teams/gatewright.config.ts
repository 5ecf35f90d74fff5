import { defineConfig } from 'gatewright';
import article from './resources/article.ts';
import company from './resources/company.ts';

export default defineConfig({
  payment: false,
  /** A company without members, with help for everyone. */
  async onStart({ records }) {
    if ((await records(company).count()) > 0) return;
    const { id: company_id } = await records(company).create({ name: 'Welcome' });
    await records(article).create({
      company_id,
      title: 'How to begin',
      body: 'Create a company, then invite agents and customers.',
      published: true,
    });
  },
});
