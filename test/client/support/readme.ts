// The examples of client/README.md: one program, and what it prints according to its comments.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectDirectory } from '../../../local/tools/folders.ts'

export const readReadme = () => readFileSync(join(projectDirectory, 'client/README.md'), 'utf8')

export const blocksOf = (language: string) =>
  [...readReadme().matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(
    ([, block = '']) => block,
  )

/** What `console.log(…) // this` says. */
export const expectedOutput = (block: string) =>
  [...block.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, text = '']) => text)
