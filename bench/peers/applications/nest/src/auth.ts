// The guards of the documentation's chapters "Authentication" and "Authorization".
import { scryptSync, timingSafeEqual } from 'node:crypto';
import {
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  HttpCode,
  Injectable,
  Post,
  SetMetadata,
  UnauthorizedException,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { JwtService } from '@nestjs/jwt';
import { InjectRepository } from '@nestjs/typeorm';
import { IsString } from 'class-validator';
import type { Request } from 'express';
import { Repository } from 'typeorm';
import { User } from './user.entity.js';

type Authenticated = Request & { user?: { sub: number; role: string } };

export const hashOf = (password: string): Buffer => scryptSync(password, 'salt of the bench', 32);

export const Roles = (...roles: string[]) => SetMetadata('roles', roles);

@Injectable()
export class AuthGuard implements CanActivate {
  constructor(private readonly jwtService: JwtService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Authenticated>();
    const [type, token] = request.headers.authorization?.split(' ') ?? [];
    if (type !== 'Bearer' || token === undefined) throw new UnauthorizedException();
    try {
      request.user = await this.jwtService.verifyAsync<{ sub: number; role: string }>(token);
    } catch {
      throw new UnauthorizedException();
    }
    return true;
  }
}

@Injectable()
export class RolesGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const roles = this.reflector.getAllAndOverride<string[] | undefined>('roles', [
      context.getHandler(),
      context.getClass(),
    ]);
    if (roles === undefined) return true;
    const { user } = context.switchToHttp().getRequest<Authenticated>();
    return user !== undefined && roles.includes(user.role);
  }
}

class SignInDto {
  @IsString()
  email: string;

  @IsString()
  password: string;
}

@Controller('auth')
export class AuthController {
  constructor(
    @InjectRepository(User) private readonly users: Repository<User>,
    private readonly jwtService: JwtService,
  ) {}

  @HttpCode(200)
  @Post('login')
  async signIn(@Body() { email, password }: SignInDto) {
    const user = await this.users.findOneBy({ email });
    if (user === null || !timingSafeEqual(Buffer.from(user.passwordHash, 'hex'), hashOf(password)))
      throw new UnauthorizedException();
    return { access_token: await this.jwtService.signAsync({ sub: user.id, role: user.role }) };
  }
}
