// What `feathers generate app` writes: Koa, REST, Knex with SQLite, TypeBox schemas, authentication by email and password.
import { AuthenticationService, JWTStrategy } from '@feathersjs/authentication';
import { LocalStrategy } from '@feathersjs/authentication-local';
import { feathers } from '@feathersjs/feathers';
import { bodyParser, cors, errorHandler, koa, parseAuthentication, rest } from '@feathersjs/koa';
import knex from 'knex';
import { logError } from './log-error.mjs';
import { products } from './services/products.mjs';
import { users } from './services/users.mjs';

export const app = koa(feathers());

app.set('paginate', { default: 10, max: 50 });
app.set('authentication', {
  entity: 'user',
  service: 'users',
  secret: process.env.FEATHERS_SECRET,
  authStrategies: ['jwt', 'local'],
  jwtOptions: {
    header: { typ: 'access' },
    audience: 'https://yourdomain.com',
    algorithm: 'HS256',
    expiresIn: '1d',
  },
  local: { usernameField: 'email', passwordField: 'password' },
});
app.set(
  'sqliteClient',
  knex({
    client: 'better-sqlite3',
    connection: { filename: process.env.DATABASE_FILENAME },
    useNullAsDefault: true,
  }),
);

app.use(cors());
app.use(errorHandler());
app.use(parseAuthentication());
app.use(bodyParser());
app.configure(rest());

const authentication = new AuthenticationService(app);
authentication.register('jwt', new JWTStrategy());
authentication.register('local', new LocalStrategy());
app.use('authentication', authentication);
app.configure(users);
app.configure(products);

app.hooks({ around: { all: [logError] } });
