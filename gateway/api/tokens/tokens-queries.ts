// The query for what a token may know about itself: $1 is its id, $2 the rate limit without one of its own.

import {
  jsonWhere,
  listJson,
  number,
  objectJson,
  selectData,
  selectJson,
  text,
  timestamp,
} from '../../../shared/schemas/json.ts'
import type { OwnToken } from '../../../shared/tokens/tokens.ts'

const building = objectJson({ id: number('buildings.id'), name: text('buildings.name') })

const token = objectJson<OwnToken>({
  id: number('tokens.id'),
  name: text('tokens.name'),
  abilities: text<string[]>('tokens.abilities'),
  expires_at: timestamp<string | null>('tokens.expires_at'),
  addresses: text<string[] | null>('tokens.addresses::text[]'),
  buildings: jsonWhere(
    'tokens.building_ids IS NOT NULL',
    selectJson(
      listJson(building, 'buildings.id'),
      'FROM buildings WHERE buildings.id = ANY (tokens.building_ids)',
    ),
  ),
  rate_limit_per_minute: number('coalesce(tokens.rate_limit_per_minute, $2)'),
})

export const ownToken = { name: 'find-own-token', text: selectData(token, 'tokens WHERE tokens.id = $1') }
