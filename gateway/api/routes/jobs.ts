// Accepted jobs over HTTP: how far they are, and their files.

import { acceptedJobAnswer } from '../../../shared/contracts/accepted-jobs.ts'
import { textAnswer } from '../../../shared/contracts/answers.ts'
import { object, pathUuid } from '../../../shared/contracts/fields.ts'
import { endpoint, read } from '../../http/endpoint.ts'
import { findJob } from '../queries/jobs.ts'
import { sendJobFile } from '../users-import-export.ts'

const common = { ability: 'user-write', tag: 'Jobs', params: object({ id: pathUuid() }) } as const

export const jobs = [
  read({
    ...common,
    path: '/jobs/{id}',
    summary: 'An accepted job',
    description: 'For the token that made it, with the ability that making it needed.',
    answer: acceptedJobAnswer,
    missing: 'There is no job with this id that this token made.',
    find: ({ params, tokenId, baseUrl, services }) => findJob(services.primary, params.id, tokenId, baseUrl),
  }),
  endpoint({
    ...common,
    method: 'GET',
    path: '/jobs/{id}/file',
    summary: 'The file of an accepted job',
    answer: { status: 200, contentType: 'text/csv', schema: textAnswer() },
    missing: 'There is no file of such a job, or not any more.',
    handle: sendJobFile,
  }),
]
