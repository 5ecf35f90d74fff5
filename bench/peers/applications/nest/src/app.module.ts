import { Module } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthController } from './auth.js';
import { Product } from './product.entity.js';
import { ProductsController } from './products.controller.js';
import { User } from './user.entity.js';

@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'better-sqlite3',
      database: process.env['DATABASE_FILENAME'] ?? '',
      entities: [User, Product],
    }),
    TypeOrmModule.forFeature([User, Product]),
    JwtModule.register({
      global: true,
      secret: process.env['JWT_SECRET'] ?? '',
      signOptions: { expiresIn: '1d' },
    }),
  ],
  controllers: [AuthController, ProductsController],
})
export class AppModule {}
