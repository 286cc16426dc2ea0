// Lists the MCP tools.
import {
  bookTool,
  cancelBookingTool,
  checkBookingTool,
  checkInTool,
  moveBookingTool,
} from './booking-tools.ts'
import { explainRefusal } from './explain-refusal.ts'
import { findFreeTool } from './find-free.ts'
import { cancelMeetingTool, changeMeetingTool } from './meeting-tools.ts'
import { findPeopleTool, listBookingsTool, whoIsInTool } from './people-tools.ts'
import type { Tool } from './tool.ts'

export const TOOLS: readonly Tool[] = [
  findPeopleTool,
  whoIsInTool,
  findFreeTool,
  checkBookingTool,
  bookTool,
  moveBookingTool,
  cancelBookingTool,
  changeMeetingTool,
  cancelMeetingTool,
  checkInTool,
  listBookingsTool,
  explainRefusal,
]
