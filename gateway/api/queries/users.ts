// Reads of users. Deactivated ones are not found.
import type pg from 'pg'
import { dataText } from '../../../shared/shapes/json.ts'
import { userJson } from '../../../shared/shapes/users.ts'
import { findText } from '../../http/statement.ts'

const byId = {
  name: 'find-user',
  text: `
    SELECT ${dataText(userJson('users'))} AS body
    FROM users
    WHERE users.id = $1 AND users.deactivated_at IS NULL`,
}

const byEmail = {
  name: 'find-user-by-email',
  text: `
    SELECT ${dataText(userJson('users'))} AS body
    FROM users
    WHERE lower(users.email) = lower($1) AND users.deactivated_at IS NULL`,
}

export function findUser(pool: pg.Pool, id: number): Promise<string | undefined> {
  return findText(pool, byId, [id])
}

export function findUserByEmail(pool: pg.Pool, email: string): Promise<string | undefined> {
  return findText(pool, byEmail, [email])
}
