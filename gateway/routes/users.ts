// Users over HTTP.
import { object, pathId, pathText } from '../../shared/contracts/fields.ts'
import { userAnswer } from '../../shared/contracts/users.ts'
import { read } from '../endpoint.ts'
import { findUser, findUserByEmail } from '../queries/users.ts'

const tag = 'Users'

export const users = [
  read({
    path: '/users/{id}',
    ability: 'read',
    tag,
    summary: 'One user',
    params: object({ id: pathId() }),
    answer: userAnswer,
    missing: 'There is no active user with this id.',
    find: ({ params, services }) => findUser(services.reads, params.id),
  }),
  read({
    path: '/users/by-email/{user_email}',
    ability: 'read',
    tag,
    summary: 'One user, by e-mail',
    description: 'The e-mail is compared without regard to letter case.',
    params: object({ user_email: pathText() }),
    answer: userAnswer,
    missing: 'There is no active user with this e-mail.',
    find: ({ params, services }) => findUserByEmail(services.reads, params.user_email),
  }),
]
