// The summary that `npm start` prints when everything is ready.
import { shortPath } from './tools/folders.ts'
import type { LocalRecord } from './tools/record.ts'

export function formatSummary({ url, token, admin }: LocalRecord, directory: string): string {
  const password =
    admin.password || `(changed since; to reset it: npm run admin -- reset-password --email ${admin.email})`
  return [
    '',
    `Berth is ready at ${url}`,
    '',
    `  Dashboard      ${url}/dashboard`,
    `  API docs       ${url}/api/docs`,
    `  Administrator  ${admin.email}`,
    `  Password       ${password}`,
    `  API token      ${token}`,
    `  Data and logs  ${shortPath(directory)}`,
    '',
    'Try it:',
    '',
    `  curl -H 'Authorization: Bearer ${token}' ${url}/api/v1/groups`,
    '',
    'Press Ctrl-C to stop.',
  ].join('\n')
}
