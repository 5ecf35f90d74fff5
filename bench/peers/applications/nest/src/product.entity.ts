import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn, UpdateDateColumn } from 'typeorm';

@Entity('products')
export class Product {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'varchar', length: 200 })
  name: string;

  @Column({ type: 'text' })
  description: string;

  @Column({ type: 'integer' })
  stock: number;

  @Column({ type: 'real' })
  price: number;

  @Column({ type: 'real' })
  rating: number;

  @Column({ type: 'boolean' })
  active: boolean;

  @Column({ type: 'simple-enum', enum: ['tools', 'toys', 'books', 'food'] })
  category: string;

  @Column({ type: 'datetime' })
  released_at: Date;

  @CreateDateColumn()
  created_at: Date;

  @UpdateDateColumn()
  updated_at: Date;
}
