import { resource } from '../../client/index.ts';
import { up } from '../../examples/newsroom/migrations/0001_newsroom.ts';
import article from '../../examples/newsroom/resources/article.ts';
import note from '../../examples/newsroom/resources/note.ts';
import order from '../../examples/newsroom/resources/order.ts';

/** The example application, as the service takes it. */
export const newsroom = { resources: [note, order, article], migrations: { '0001_newsroom': { up } } };

/** The same, as a client takes it. */
export const resources = {
  notes: resource<typeof note>('note'),
  orders: resource<typeof order>('order'),
  articles: resource<typeof article>('article'),
};
