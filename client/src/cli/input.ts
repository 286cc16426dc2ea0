// Reads the standard input.
import { text } from 'node:stream/consumers'

export const readInput = () => text(process.stdin)
