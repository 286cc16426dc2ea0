// The caller's own token over HTTP.
import { message } from '../../../shared/messages/message.ts'
import {
  jsonWhere,
  listJson,
  number,
  objectJson,
  rowJson,
  selectData,
  selectJson,
  text,
} from '../../../shared/schemas/json.ts'
import { ownTokenSchema } from '../../../shared/tokens/tokens.ts'
import { read, resource } from '../../http/endpoint.ts'

const building = objectJson({ id: number('buildings.id'), name: text('buildings.name') })

const token = rowJson(ownTokenSchema, 'tokens', {
  addresses: 'tokens.addresses::text[]',
  buildings: jsonWhere(
    'tokens.building_ids IS NOT NULL',
    selectJson(
      listJson(building, 'buildings.id'),
      'FROM buildings WHERE buildings.id = ANY (tokens.building_ids)',
    ),
  ),
  rate_limit_per_minute: 'coalesce(tokens.rate_limit_per_minute, $2)',
})

export const tokens = resource({ tag: 'Tokens', ability: null })({
  getToken: read('/me', {
    summary: 'Get the current token',
    description:
      'Its name and abilities, when it expires, from which networks it works, to which buildings it is limited, and how many requests it may make a minute.',
    answer: ownTokenSchema,
    missing: message`The token has been deleted.`,
    statement: { name: 'find-own-token', text: selectData(token, 'tokens WHERE tokens.id = $1') },
    values: ({ token, services }) => [token.id, services.config.rateLimitPerMinute],
  }),
})
