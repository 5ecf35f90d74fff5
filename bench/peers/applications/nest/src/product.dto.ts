import { Type } from 'class-transformer';
import {
  IsBoolean,
  IsDate,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsNumber,
  IsString,
  Max,
  MaxLength,
  Min,
} from 'class-validator';

export class CreateProductDto {
  @IsString()
  @IsNotEmpty()
  @MaxLength(200)
  name: string;

  @IsString()
  description: string;

  @IsInt()
  stock: number;

  @IsNumber()
  price: number;

  @IsNumber()
  rating: number;

  @IsBoolean()
  active: boolean;

  @IsIn(['tools', 'toys', 'books', 'food'])
  category: string;

  @Type(() => Date)
  @IsDate()
  released_at: Date;
}

export class PageQuery {
  @Type(() => Number)
  @IsInt()
  @Min(1)
  page = 1;

  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(100)
  per_page = 20;
}
