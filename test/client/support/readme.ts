// The examples of client/README.md: one program, and what it prints according to its comments.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectDirectory } from '../../../local/tools/folders.ts'

// Calls the receiver of the README as a delivery does, and one that somebody changed.
const DELIVERY = `
import { signWebhook } from '@berth/client'
const secret = 'whsec_' + btoa('a secret of the README')
const body = JSON.stringify({ type: 'booking.created', data: { user: anna } })
const address = 'https://receiver.example/'
const delivery = { method: 'POST', body, headers: await signWebhook({ id: 'msg_1', body, secret }) }
const answers = [
  await receive(new Request(address, delivery), secret),
  await receive(new Request(address, { ...delivery, body: body + ' ' }), secret),
]
console.log(answers.map(({ status }) => status).join(' '))
`

export const blocksOf = (language: string) =>
  [...readReadme().matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(
    ([, block = '']) => block,
  )

export const readmeProgram = () => [...blocksOf('ts'), DELIVERY].join('\n')

/** What `console.log(…) // this` says. */
export const readmeOutput = () => [
  ...blocksOf('ts').flatMap((block) =>
    [...block.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, text = '']) => text),
  ),
  '204 400',
]

function readReadme(): string {
  return readFileSync(join(projectDirectory, 'client/README.md'), 'utf8')
}
