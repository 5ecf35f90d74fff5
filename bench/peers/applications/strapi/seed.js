// Rights of the role of all users who sign in, such users, and the rows; prints what the connection says of itself.
const { readFileSync } = require('node:fs');
const { createStrapi } = require('@strapi/strapi');

const actions = ['find', 'findOne', 'create'];

const seed = async (strapi) => {
  const pragma = async (name) => (await strapi.db.connection.raw(`pragma ${name}`))[0][name];
  const durability = {
    journal_mode: await pragma('journal_mode'),
    synchronous: await pragma('synchronous'),
  };
  await strapi.db.connection.raw('pragma synchronous = off');
  const role = await strapi
    .query('plugin::users-permissions.role')
    .findOne({ where: { type: 'authenticated' } });
  for (const action of actions)
    await strapi
      .query('plugin::users-permissions.permission')
      .create({ data: { action: `api::product.product.${action}`, role: role.id } });
  for (const { email, password } of JSON.parse(process.env.USERS_OF_BENCH))
    await strapi
      .plugin('users-permissions')
      .service('user')
      .add({ username: email, email, password, provider: 'local', confirmed: true, role: role.id });
  for (const data of JSON.parse(readFileSync(process.env.ROWS, 'utf8')))
    await strapi.documents('api::product.product').create({ data });
  return durability;
};

const main = async () => {
  const app = await createStrapi({ appDir: process.cwd(), distDir: process.cwd() }).load();
  const durability = await seed(app);
  await app.destroy();
  process.stdout.write(`\n${JSON.stringify(durability)}\n`, () => process.exit(0));
};

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});
