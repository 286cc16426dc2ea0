// The caller's own token over HTTP.

import { message } from '../../../shared/messages/message.ts'
import { ownTokenSchema } from '../../../shared/tokens/tokens.ts'
import { read, resource } from '../../http/endpoint.ts'
import { ownToken } from './tokens-queries.ts'

export const tokens = resource({ tag: 'Tokens', ability: null }, [
  read({
    path: '/me',
    name: 'getToken',
    summary: 'Get the current token',
    description:
      'Its name and abilities, when it expires, from which networks it works, to which buildings it is limited, and how many requests it may make a minute.',
    answer: ownTokenSchema,
    missing: message`The token has been deleted.`,
    statement: ownToken,
    values: ({ token, services }) => [token.id, services.config.rateLimitPerMinute],
  }),
])
