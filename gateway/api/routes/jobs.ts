// Accepted jobs over HTTP: their progress, and their files.

import { acceptedJobAnswer } from '../../../shared/contracts/accepted-jobs.ts'
import { textAnswer } from '../../../shared/contracts/answers.ts'
import { object, pathUuid } from '../../../shared/contracts/fields.ts'
import { endpoint, read } from '../../http/endpoint.ts'
import { EXPORT_CONTENT_TYPES } from '../../http/export-answer.ts'
import { sendJobFile } from '../job-file.ts'
import { findJob } from '../queries/jobs.ts'

const common = { ability: 'user-write', tag: 'Jobs', params: object({ id: pathUuid() }) } as const

export const jobs = [
  read({
    ...common,
    path: '/jobs/{id}',
    summary: 'Get an accepted job',
    description: 'Only the token that created the job can read it.',
    answer: acceptedJobAnswer,
    missing: 'This token has no job with this id.',
    find: ({ params, tokenId, baseUrl, services }) => findJob(services.primary, params.id, tokenId, baseUrl),
  }),
  endpoint({
    ...common,
    method: 'GET',
    path: '/jobs/{id}/file',
    summary: 'Download the file of an accepted job',
    answer: { status: 200, schema: textAnswer(), contentTypes: Object.values(EXPORT_CONTENT_TYPES) },
    missing: 'This job does not exist, has no file, or its file has expired.',
    handle: sendJobFile,
  }),
]
