import { app } from './app.mjs';
import { logger } from './logger.mjs';

process.on('unhandledRejection', (reason) => logger.error('Unhandled Rejection %O', reason));

const port = Number(process.env.PORT);
app.listen(port).then(() => logger.info(`Feathers app listening on port ${port}`));
