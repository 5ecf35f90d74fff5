import {
  Body,
  Controller,
  Get,
  NotFoundException,
  Param,
  ParseIntPipe,
  Post,
  Query,
  UseGuards,
} from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { AuthGuard, Roles, RolesGuard } from './auth.js';
import { CreateProductDto, PageQuery } from './product.dto.js';
import { Product } from './product.entity.js';

@Controller('products')
@UseGuards(AuthGuard, RolesGuard)
@Roles('clerk')
export class ProductsController {
  constructor(@InjectRepository(Product) private readonly products: Repository<Product>) {}

  @Get()
  async findAll(@Query() { page, per_page }: PageQuery) {
    const order = { id: 'asc' } as const;
    const [data, total] = await this.products.findAndCount({
      order,
      skip: (page - 1) * per_page,
      take: per_page,
    });
    return { data, total };
  }

  @Get(':id')
  async findOne(@Param('id', ParseIntPipe) id: number) {
    const product = await this.products.findOneBy({ id });
    if (product === null) throw new NotFoundException();
    return product;
  }

  @Post()
  create(@Body() product: CreateProductDto) {
    return this.products.save(this.products.create(product));
  }
}
