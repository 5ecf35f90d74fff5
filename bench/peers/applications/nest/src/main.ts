import { ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';

const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
// biome-ignore lint/correctness/useHookAtTopLevel: a method of Nest, no hook of React
app.useGlobalPipes(new ValidationPipe({ whitelist: true, transform: true }));
await app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1');
