// The query for what a token may know about itself.

import {
  dataText,
  jsonWhere,
  listJson,
  number,
  objectJson,
  selectJson,
  text,
  timestamp,
} from '../../../shared/schemas/json.ts'
import type { OwnToken } from '../../../shared/tokens/tokens.ts'
import { type Database, findText } from '../../http/statement.ts'

const ownToken = {
  name: 'find-own-token',
  text: `
    SELECT ${dataText(
      objectJson<OwnToken>({
        id: number('tokens.id'),
        name: text('tokens.name'),
        abilities: text<string[]>('tokens.abilities'),
        expires_at: timestamp<string | null>('tokens.expires_at'),
        addresses: text<string[] | null>('tokens.addresses::text[]'),
        buildings: jsonWhere(
          'tokens.building_ids IS NOT NULL',
          selectJson(
            listJson(
              objectJson({ id: number('buildings.id'), name: text('buildings.name') }),
              'buildings.id',
            ),
            'FROM buildings WHERE buildings.id = ANY (tokens.building_ids)',
          ),
        ),
        rate_limit_per_minute: number('coalesce(tokens.rate_limit_per_minute, $2)'),
      }),
    )} AS body
    FROM tokens WHERE tokens.id = $1`,
}

export function findOwnToken(
  database: Database,
  id: number,
  rateLimitPerMinute: number,
): Promise<string | undefined> {
  return findText(database, ownToken, [id, rateLimitPerMinute])
}
