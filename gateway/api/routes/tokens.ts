// The caller's own token over HTTP.
import { dataAnswer } from '../../../shared/contracts/answers.ts'
import { ownTokenSchema } from '../../../shared/contracts/integrations/tokens.ts'
import { message } from '../../../shared/messages/message.ts'
import { read } from '../../http/endpoint.ts'
import { findOwnToken } from '../queries/tokens.ts'

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
