/* A small CheckerBoard engine for tests: plays the first legal move.
   "set behaviour N" makes it misbehave from its third move of a game on: 1 hangs, 2 crashes,
   3 makes no move, 4 moves wrongly, 5 waits until it is told to play, 6 prints, 7 ends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WHITE = 1, BLACK = 2, MAN = 4, KING = 8 };
struct coor { int x, y; };
struct CBmove {
  int jumps, newpiece, oldpiece;
  struct coor from, to, path[12], del[12];
  int delpiece[12];
};

static int behaviour, moves, gametype = 21;

/* In board[x][y] black's men go up in y. */
static int may_go(int piece, int dy) {
  return (piece & KING) || (piece & BLACK ? dy > 0 : dy < 0);
}
static int on_board(int x, int y) { return x >= 0 && x < 8 && y >= 0 && y < 8; }

/* Jumps on with the piece at (x, y) as far as it goes; returns the number of jumps. */
static int jump(int b[8][8], int x, int y) {
  for (int dy = -1; dy <= 1; dy += 2)
    for (int dx = -1; dx <= 1; dx += 2) {
      const int piece = b[x][y], x2 = x + 2 * dx, y2 = y + 2 * dy;
      if (!may_go(piece, dy) || !on_board(x2, y2) || b[x2][y2]) continue;
      const int other = b[x + dx][y + dy];
      if (!other || (other & 3) == (piece & 3)) continue;
      b[x][y] = b[x + dx][y + dy] = 0;
      b[x2][y2] = piece;
      if ((piece & MAN) && (y2 == 0 || y2 == 7)) {
        b[x2][y2] = (piece & 3) | KING;
        return 1;
      }
      return 1 + jump(b, x2, y2);
    }
  return 0;
}

static int step(int b[8][8], int x, int y) {
  for (int dy = -1; dy <= 1; dy += 2)
    for (int dx = -1; dx <= 1; dx += 2) {
      const int piece = b[x][y];
      if (!may_go(piece, dy) || !on_board(x + dx, y + dy) || b[x + dx][y + dy]) continue;
      b[x][y] = 0;
      b[x + dx][y + dy] = (y + dy == 0 || y + dy == 7) ? (piece & 3) | KING : piece;
      return 1;
    }
  return 0;
}

static int play(int b[8][8], int color) {
  for (int way = 0; way < 2; ++way)
    for (int x = 0; x < 8; ++x)
      for (int y = 0; y < 8; ++y)
        if ((b[x][y] & 3) == color && (way ? step(b, x, y) : jump(b, x, y))) return 1;
  return 0;
}

int getmove(int b[8][8], int color, double maxtime, char str[1024], int *playnow, int info, int moreinfo,
            struct CBmove *move) {
  (void)maxtime, (void)moreinfo, (void)move;
  if (info & 1) moves = 0;
  sprintf(str, "move %d", ++moves);
  if (moves > 2) switch (behaviour) {
      case 1: sleep(600); break;
      case 2: abort();
      case 3: return 3;
      case 4: b[1][1] = BLACK | KING; return 3;
      case 5: while (!*(volatile int *)playnow) usleep(1000); break;
      case 6: printf("{\"board\": \"loud\"}\n"); fflush(stdout); break;
      case 7: exit(4);
    }
  play(b, color);
  return 3;
}

int enginecommand(char command[256], char reply[1024]) {
  strcpy(reply, "?");
  if (!strcmp(command, "name")) return sprintf(reply, "Double"), 1;
  if (!strcmp(command, "get gametype")) return sprintf(reply, "%d", gametype), 1;
  if (!strncmp(command, "set behaviour ", 14)) return behaviour = atoi(command + 14), 1;
  if (!strncmp(command, "set gamehist ", 13)) return strlen(command) < 255;
  return 0;
}
