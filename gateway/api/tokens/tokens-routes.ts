// The caller's own token over HTTP.

import { message } from '../../../shared/messages/message.ts'
import { dataAnswer } from '../../../shared/schemas/answers.ts'
import { ownTokenSchema } from '../../../shared/tokens/tokens.ts'
import { read } from '../../http/kit/endpoint.ts'
import { findOwnToken } from './tokens-queries.ts'

export const tokens = [
  read({
    path: '/me',
    name: 'getToken',
    ability: null,
    tag: 'Tokens',
    summary: 'Get the current token',
    description:
      'Its name and abilities, when it expires, from which networks it works, to which buildings it is limited, and how many requests it may make a minute.',
    answer: dataAnswer(ownTokenSchema),
    missing: message`The token has been deleted.`,
    find: ({ tokenId, services }, { pointReads }) =>
      findOwnToken(pointReads, tokenId, services.config.rateLimitPerMinute),
  }),
]
