// What `npm start` prints when everything is ready.
import { shortPath } from './folders.ts'
import type { LocalRecord } from './record.ts'

export function wordSummary({ url, token, admin }: LocalRecord, directory: string): string {
  const password = admin.password || '(as it was set since; `npm run admin` sets a new one)'
  return [
    '',
    `Berth is ready at ${url}`,
    '',
    `  Dashboard      ${url}/dashboard`,
    `  Documentation  ${url}/api/docs`,
    `  Administrator  ${admin.email}`,
    `  Password       ${password}`,
    `  Token          ${token}`,
    `  Data and logs  ${shortPath(directory)}`,
    '',
    'Try it:',
    '',
    `  curl -H 'Authorization: Bearer ${token}' ${url}/api/v1/groups`,
    '',
    'Ctrl-C stops it.',
  ].join('\n')
}
