interface Request {
  readonly required_approval_type: string;
  readonly requested_by: string;
}

/**
 * Whether somebody may have a say on a request: the council's members on what the council decides, an admin on what one
 * admin decides, nobody on their own. The server alone knows who is named as a member, and decides.
 */
export function mayDecide(request: Request, userId: string, has: (role: string) => boolean): boolean {
  if (request.requested_by === userId) return false;
  return has(request.required_approval_type === 'admin_single' ? 'admin' : 'council');
}
