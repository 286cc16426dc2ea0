// Accepted jobs over HTTP: their progress, and their files.

import { acceptedJobAnswer } from '../../../shared/jobs/accepted-jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { textAnswer } from '../../../shared/schemas/answers.ts'
import { object, pathUuid } from '../../../shared/schemas/fields.ts'
import { EXPORT_CONTENT_TYPES } from '../../http/export-answer.ts'
import { endpoint } from '../../http/kit/endpoint.ts'
import { sendJobFile } from './job-file.ts'
import { findJob } from './jobs-queries.ts'

const common = { ability: 'user-write', tag: 'Jobs', params: object({ id: pathUuid() }) } as const

const unknownJob = message`This token has no job with this id.`

export const jobs = [
  endpoint({
    ...common,
    method: 'GET',
    path: '/jobs/{id}',
    name: 'getJob',
    summary: 'Get an accepted job',
    description: 'Only the token that created the job can read it.',
    answer: acceptedJobAnswer,
    missing: unknownJob,
    async handle({ params, tokenId, baseUrl, services }) {
      const body = await findJob(services.primary, params.id, tokenId, baseUrl)
      if (body === undefined) throw new Refusal('not_found', unknownJob)
      // A client that sees here that the job is done also sees its results in later reads.
      await services.reads.noteWrite({ type: 'token', id: tokenId })
      return { status: 200, body }
    },
  }),
  endpoint({
    ...common,
    method: 'GET',
    path: '/jobs/{id}/file',
    name: 'downloadJobFile',
    summary: 'Download the file of an accepted job',
    sendsFile: true,
    answer: { status: 200, schema: textAnswer(), contentTypes: Object.values(EXPORT_CONTENT_TYPES) },
    missing: message`This job does not exist, has no file, or its file has expired.`,
    handle: sendJobFile,
  }),
]
