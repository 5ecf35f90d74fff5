import { logger } from './logger.mjs';

export const logError = async (_context, next) => {
  try {
    await next();
  } catch (error) {
    logger.error(error.stack);
    if (error.data) logger.error('Data: %O', error.data);
    throw error;
  }
};
