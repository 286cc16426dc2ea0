// Reads of users. Deactivated ones are not found.
import { dataText } from '../../../shared/shapes/json.ts'
import { userJson } from '../../../shared/shapes/users.ts'
import { type Database, findText } from '../../http/statement.ts'

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

export function findUser(database: Database, id: number): Promise<string | undefined> {
  return findText(database, byId, [id])
}

export function findUserByEmail(database: Database, email: string): Promise<string | undefined> {
  return findText(database, byEmail, [email])
}
